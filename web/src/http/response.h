// Response: an HTTP response; and WrittenResponse, its bytes, which can be sent several times.
//
// Every response has headers that restrict what a browser may do with it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fathom/rt/net/event_loop.h"

namespace fathom::web {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kHtml = "text/html; charset=utf-8";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

struct Response {
  int status = 200;
  std::string_view type = kJson;
  std::string_view styles = {};  // a source of styles that it may use besides those of the page
  std::string headers = {};      // additional headers, each with its end of line
  std::string body = {};
  bool without_length = false;  // the body ends with the connection
};

// The Date of a response (RFC 9110, 5.6.7), which changes once per second.
class HttpDate {
 public:
  static constexpr std::size_t kSize = 29;  // "Sun, 06 Nov 1994 08:49:37 GMT"

  // now: the time of the loop. Reads the wall clock at most once per second.
  [[nodiscard]] std::string_view at(rt::EventLoop::Time now);

 private:
  std::string text_;
  rt::EventLoop::Time until_ = rt::EventLoop::Time::min();
};

class WrittenResponse {
 public:
  explicit WrittenResponse(const Response& response);

  // Overwrites the date in place. The result is valid until the next call.
  [[nodiscard]] std::string_view bytes(std::string_view date);
  // The response to HEAD: everything except the body.
  [[nodiscard]] std::string_view head(std::string_view date) {
    return bytes(date).substr(0, head_size_);
  }
  // The response with "Connection: close".
  [[nodiscard]] std::string closing(std::string_view date, bool head_only);
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t date_at_ = 0;
  std::size_t head_size_ = 0;
};

}  // namespace fathom::web
