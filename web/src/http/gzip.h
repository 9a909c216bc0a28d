// gzip (RFC 1952), by zlib.

#pragma once

#include <string>
#include <string_view>

namespace fathom::web {

// Fast rather than small: answers are made once and sent over a loopback. Throws std::bad_alloc.
[[nodiscard]] std::string gzip(std::string_view text);

// The text of what gzip() made, or another program did. Throws base::Error for anything else.
[[nodiscard]] std::string gunzip(std::string_view bytes);

// Whether a client that sends this Accept-Encoding takes gzip (RFC 9110, 12.5.3).
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace fathom::web
