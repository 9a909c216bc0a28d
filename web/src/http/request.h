// Request: a parsed request, with the headers that this server uses.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fathom::web {

enum class Method : std::uint8_t { get, head, post, other };

// Refers to the bytes from which it was parsed. A missing header is empty.
struct Request {
  Method method = Method::other;
  std::string_view target;  // as received: a percent-encoded path and an optional query
  std::string_view host;
  std::string_view origin;
  std::string_view fetch_site;  // Sec-Fetch-Site
  std::string_view authorization;
  std::string_view cookie;
  std::string_view if_none_match;
  std::string_view accept_encoding;
  std::string_view accept;
  // The body, if the service wanted it (HttpService::body_of); else empty, because it is dropped.
  std::string_view body = {};
  std::size_t body_size = 0;  // as announced by Content-Length
  bool has_host = false;
  bool expects_interim = false;  // Expect: 100-continue
  bool keep_alive = false;       // the connection may be used for another request
  bool knows_interim = false;    // HTTP/1.1: the client expects responses such as 100 (Continue)

  [[nodiscard]] std::string_view path() const { return target.substr(0, target.find('?')); }
  [[nodiscard]] std::string_view query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  }
};

}  // namespace fathom::web
