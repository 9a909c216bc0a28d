// parse_request: parses the heads of HTTP/1.1 requests (RFC 9112) with the parser of Boost.Beast.
//
// Only heads are parsed; the connection counts the bytes of bodies. The parser keeps no state:
// an incomplete head is parsed again when more input has arrived, so that a waiting connection
// stores only the bytes. may_tell_more() keeps that cheap for input that arrives byte by byte.
//
//   Request request;
//   const Parsed parsed = parse_request(bytes, request);
//   if (parsed.state == Parsed::State::complete) bytes.remove_prefix(parsed.used);

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/request.h"

namespace fathom::web {

inline constexpr std::size_t kMaxTarget = std::size_t{8} << 10;
inline constexpr std::size_t kMaxHead = std::size_t{16} << 10;  // the request line and all headers
// A body that somebody wants, and one that is dropped as it arrives.
inline constexpr std::size_t kMaxBody = std::size_t{4} << 20;
inline constexpr std::size_t kMaxDroppedBody = std::size_t{64} << 10;

struct Parsed {
  enum class State : std::uint8_t {
    incomplete,  // the end of the head has not arrived
    complete,
    refused,  // not a valid request, or too large; the following bytes cannot be interpreted
  };
  State state = State::incomplete;
  std::size_t used = 0;  // bytes of a complete head
  std::size_t body = 0;  // bytes of the body, which follow the head
  int status = 0;        // of the answer to a refused request: 400, 413, 414 or 431
};

// Whether parsing an incomplete head again may tell more than parsing its first `known` bytes did:
// the request line or an empty line has ended since, or the head is too large. Reads only the
// request line and what is new.
[[nodiscard]] bool may_tell_more(std::string_view bytes, std::size_t known);

// Each header that this server uses may occur only once, except Accept, Accept-Encoding, Cookie and
// If-None-Match, of which the first one is used.
[[nodiscard]] Parsed parse_request(std::string_view bytes, Request& request);

}  // namespace fathom::web
