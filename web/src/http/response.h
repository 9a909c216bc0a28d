// Response: what is answered to a request; and WrittenResponse, the same as bytes that may be sent
// any number of times.
//
// Each has the headers that keep a browser from doing anything with it but what the page is for.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fathom/rt/net/event_loop.h"

namespace fathom::web {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

struct Response {
  int status = 200;
  std::string_view type = kJson;
  std::string headers = {};  // further ones, each with its end of line
  std::string body = {};
  bool without_length = false;  // goes on until the connection ends
};

// The date of an answer (RFC 9110, 5.6.7), which changes once a second.
class HttpDate {
 public:
  static constexpr std::size_t kSize = 29;  // "Sun, 06 Nov 1994 08:49:37 GMT"

  // Loop: looks at the wall clock once in a second of the loop's time.
  [[nodiscard]] std::string_view at(rt::EventLoop::Time now);

 private:
  std::string text_;
  rt::EventLoop::Time until_ = rt::EventLoop::Time::min();
};

class WrittenResponse {
 public:
  explicit WrittenResponse(const Response& response);

  // The date stands where it is written over: the bytes hold until the next call.
  [[nodiscard]] std::string_view bytes(std::string_view date);
  // What HEAD gets: all but the body.
  [[nodiscard]] std::string_view head(std::string_view date) {
    return bytes(date).substr(0, head_size_);
  }
  // The same, saying that the connection ends with it.
  [[nodiscard]] std::string closing(std::string_view date, bool head_only);
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t date_at_ = 0;
  std::size_t head_size_ = 0;
};

}  // namespace fathom::web
