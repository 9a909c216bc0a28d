// Fuzzes parse_request(): its result does not depend on where the input is split or on what
// follows. Otherwise two servers could see different requests in one stream (request smuggling).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/testing/always.h"
#include "http/request_parser.h"

namespace fathom::web {
namespace {

using State = Parsed::State;

// Splitting longer inputs at every byte takes too long.
constexpr std::size_t kLongest = 300;

bool is_same(const Request& a, const Request& b) {
  return a.method == b.method && a.target == b.target && a.host == b.host && a.origin == b.origin &&
         a.fetch_site == b.fetch_site && a.authorization == b.authorization &&
         a.cookie == b.cookie && a.if_none_match == b.if_none_match &&
         a.accept_encoding == b.accept_encoding && a.has_host == b.has_host &&
         a.keep_alive == b.keep_alive;
}

void expect_within(std::string_view part, std::string_view bytes) {
  if (part.empty()) return;
  testing::always(
      part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + bytes.size(),
      "a request refers to bytes outside its input");
  for (const char byte : part) {
    testing::always(byte != '\r' && byte != '\n' && byte != '\0',
                    "a field contains a line end or NUL");
  }
}

void expect_sound(const Parsed& parsed, const Request& request, std::string_view bytes) {
  const bool refused = parsed.state == State::refused;
  const int status = parsed.status;
  testing::always(refused == (status != 0), "status and state do not match");
  testing::always(!refused || status == 400 || status == 413 || status == 414 || status == 431,
                  "an undocumented status");
  if (parsed.state != State::complete)
    return testing::always(parsed.used == 0 && parsed.body == 0,
                           "an incomplete request consumes bytes");
  testing::always(parsed.used > 0 && parsed.used <= bytes.size(),
                  "a request consumes more bytes than the input has");
  testing::always(parsed.used <= kMaxHead, "a head exceeds its limit");
  testing::always(parsed.body <= kMaxBody, "a body exceeds its limit");
  testing::always(request.target.size() <= kMaxTarget, "a target exceeds its limit");
  testing::always(request.target.starts_with('/') || request.target == "*",
                  "a target is not a path");
  const std::string_view used = bytes.substr(0, parsed.used);
  for (const std::string_view part :
       {request.target, request.host, request.origin, request.fetch_site, request.authorization,
        request.cookie, request.if_none_match, request.accept_encoding, request.accept}) {
    expect_within(part, used);
  }
}

// Bytes after a complete or refused request make no difference.
void expect_same_with_more(std::string_view bytes, const Parsed& parsed, const Request& request) {
  if (parsed.state != State::complete && parsed.state != State::refused) return;
  for (const std::string_view more :
       {"\r\n", "\n", "GET / HTTP/1.1\r\n\r\n", "0\r\n\r\n", " x: y"}) {
    const std::string longer = std::string(bytes) + std::string(more);
    Request again;
    const Parsed other = parse_request(longer, again);
    testing::always(other.state == parsed.state, "the state depends on following bytes");
    testing::always(other.used == parsed.used && other.body == parsed.body,
                    "the end of a request depends on following bytes");
    if (parsed.state == State::complete)
      testing::always(is_same(request, again), "a request depends on following bytes");
  }
}

void expect_same_in_pieces(std::string_view bytes, const Parsed& parsed) {
  bool refused = false;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Request part;
    const State state = parse_request(bytes.substr(0, size), part).state;
    if (refused)
      testing::always(state == State::refused, "a refused request is accepted with more bytes");
    refused = state == State::refused;
    if (parsed.state != State::complete) continue;
    testing::always(!refused, "a prefix of a valid request is refused");
    testing::always((state == State::complete) == (size >= parsed.used),
                    "the end of a request depends on the split");
  }
  if (refused)
    testing::always(parsed.state == State::refused,
                    "a refused request is accepted with more bytes");
}

// Parses one request after the other, as a connection does.
void check(std::string_view bytes) {
  while (!bytes.empty()) {
    Request request;
    const Parsed parsed = parse_request(bytes, request);
    expect_sound(parsed, request, bytes);
    expect_same_with_more(bytes, parsed, request);
    if (bytes.size() <= kLongest) expect_same_in_pieces(bytes, parsed);
    if (parsed.state != State::complete) return;
    bytes.remove_prefix(std::min(parsed.used + parsed.body, bytes.size()));
  }
}

}  // namespace
}  // namespace fathom::web

// libFuzzer prescribes the name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // An exact copy, so that sanitizers detect reads beyond the end.
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fathom::web::check(bytes);
  return 0;
}
