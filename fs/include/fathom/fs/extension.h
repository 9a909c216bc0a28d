// The extension of a file name.

#pragma once

#include <string_view>

namespace fathom::fs {

// The part behind the last dot of the last name in a path; "" if there is no dot, or nothing before
// or behind it. Leading dots do not count: ".profile" and "..a" have no extension, and that of
// ".profile.old" is "old".
[[nodiscard]] std::string_view extension_of(std::string_view name);

// Extensions ignore the case of ASCII letters; all other bytes are compared as they are.
[[nodiscard]] constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] bool same_extension(std::string_view a, std::string_view b);

}  // namespace fathom::fs
