// Printable: text of strangers made safe for terminals and logs.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::base {

// Escapes control characters, also those beyond ASCII, marks of direction, line separators and
// bytes that are no UTF-8: \n, \t, \r, \x1b. Anything else stays as it is. More than `most` bytes
// of text are cut, which three dots say.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 1000);

}  // namespace fathom::base
