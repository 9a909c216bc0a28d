// parse_request: HTTP/1.1 (RFC 9112), as far as a server of small answers needs it, by
// Boost.Beast's parser.
//
// A request is answered when its head is there: no question here needs a body. It keeps no state:
// what is incomplete is parsed anew when more has come, so that a connection that waits holds no
// more than the bytes.
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
inline constexpr std::size_t kMaxBody = std::size_t{64} << 10;

struct Parsed {
  enum class State : std::uint8_t {
    incomplete,  // the head has not come to its end
    complete,
    refused,  // it is no request, or one that is too large: nothing after it can be made out
  };
  State state = State::incomplete;
  std::size_t used = 0;  // bytes of a complete head
  std::size_t body = 0;  // bytes that follow, which are not part of the next request
  int status = 0;        // of the answer to a refused one: 400, 413, 414 or 431
};

// Each header that this server looks at may come once, but for Cookie and If-None-Match, of which
// the first counts.
[[nodiscard]] Parsed parse_request(std::string_view bytes, Request& request);

}  // namespace fathom::web
