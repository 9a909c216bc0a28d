// Printable: makes untrusted text safe for terminals and logs.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::base {

// Escapes control characters including those outside ASCII, bidirectional marks, line separators
// and invalid UTF-8: \n, \t, \r, \x1b. All other text is unchanged. Text longer than `most` bytes
// is cut and ends in three dots.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 1000);

struct Character {
  std::size_t bytes = 1;
  bool plain = false;  // whether it can be shown unchanged
};

// The first character of a text, which is not empty. Bytes that are not valid UTF-8 are returned
// one by one. Async-signal-safe.
[[nodiscard]] Character first_character(std::string_view text) noexcept;

}  // namespace fathom::base
