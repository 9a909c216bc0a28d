// UTF-8 as JSON demands it, and what names that are none become there.

#pragma once

#include <string>
#include <string_view>

namespace fathom::fs {

// RFC 3629: no overlong forms, no surrogates.
[[nodiscard]] bool is_utf8(std::string_view bytes);

// The text with U+FFFD for each byte that belongs to no UTF-8 sequence.
[[nodiscard]] std::string to_utf8(std::string_view bytes);

// RFC 4648, with padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);

}  // namespace fathom::fs
