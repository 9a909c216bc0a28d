// The extension of a file's name.

#pragma once

#include <string_view>

namespace fathom::fs {

// What follows the last dot of the name, which is all after the last slash; "" if there is no dot,
// or nothing on one of its sides. Dots that the name begins with are no sides: ".profile" and "..a"
// have no extension, ".profile.old" has "old".
[[nodiscard]] std::string_view extension_of(std::string_view name);

// Whether they are one extension: the letters of ASCII are the same in either case.
[[nodiscard]] bool same_extension(std::string_view a, std::string_view b);

}  // namespace fathom::fs
