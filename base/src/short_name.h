// ShortName: a function's name as people would write it.

#pragma once

#include <string>

namespace fathom::base {

// std::string and std::string_view for what the compiler calls them, and containers without their
// allocators.
[[nodiscard]] std::string short_name(std::string function);

}  // namespace fathom::base
