// ShortName: a demangled function name as people would write it.

#pragma once

#include <string>

namespace fathom::base {

// Writes std::string and std::string_view for their full template names, and containers without
// their allocators.
[[nodiscard]] std::string short_name(std::string function);

}  // namespace fathom::base
