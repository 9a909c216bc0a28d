// SourceName: a short name for a file of source.

#pragma once

#include <string_view>

namespace fathom::base {

// Fathom's own from its folder on, others by their last two folders and their name. A relative path
// loses the "../" it begins with. The result is a part of the path.
[[nodiscard]] std::string_view source_name(std::string_view path);

}  // namespace fathom::base
