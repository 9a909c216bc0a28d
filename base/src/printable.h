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

}  // namespace fathom::base
