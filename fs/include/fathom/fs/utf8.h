// UTF-8 as JSON requires it, and how names that are not UTF-8 are written.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fathom::fs {

// RFC 3629: no overlong forms, no surrogates.
[[nodiscard]] bool is_utf8(std::string_view bytes);

// The text with U+FFFD for each byte that is not part of a UTF-8 sequence.
[[nodiscard]] std::string to_utf8(std::string_view bytes);

// The text with \xHH for each such byte: different names with few such bytes usually stay
// different, but a name may look like the escaped form of another one.
[[nodiscard]] std::string to_escaped_utf8(std::string_view bytes);

// RFC 4648, with padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);

// The inverse; nothing if to_base64() does not write the text.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace fathom::fs
