// gzip: compression (RFC 1952) by zlib.

#pragma once

#include <string>
#include <string_view>

namespace fathom::web {

// Uses the fastest level: answers are made once and usually sent over a loopback. Throws
// std::bad_alloc.
[[nodiscard]] std::string gzip(std::string_view text);

// Decompresses the output of gzip() or of another program. Throws base::Error if it is not valid.
[[nodiscard]] std::string gunzip(std::string_view bytes);

// Whether a client with this Accept-Encoding accepts gzip (RFC 9110, 12.5.3).
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace fathom::web
