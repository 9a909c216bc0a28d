// The extension of a file's name.

#pragma once

#include <string_view>

namespace fathom::fs {

// What follows the last dot of the name, which is all after the last slash; "" if there is no dot,
// or nothing on one of its sides. Dots that the name begins with are no sides: ".profile" and "..a"
// have no extension, ".profile.old" has "old".
[[nodiscard]] std::string_view extension_of(std::string_view name);

// Extensions are the same in either case of the letters of ASCII; others are bytes.
[[nodiscard]] constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] bool same_extension(std::string_view a, std::string_view b);

}  // namespace fathom::fs
