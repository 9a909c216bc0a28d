// Response: formatting of responses and dates.

#include "http/response.h"

#include <ctime>

namespace fathom::web {

namespace {

constexpr std::string_view kDateHeader = "Date: ";

// The page may use only its own scripts and styles, and may send requests only to this server. It
// cannot be framed. Responses are not sniffed for another type, not stored in shared caches, and
// not readable by pages of other sites.
constexpr std::string_view kBeforeStyles =
    "Cache-Control: private, no-cache\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'";
constexpr std::string_view kAfterStyles =
    "; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n";

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

}  // namespace

std::string_view HttpDate::at(rt::EventLoop::Time now) {
  if (now < until_) return text_;
  until_ = now + std::chrono::seconds(1);
  const std::time_t wall = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&wall, &parts);
  // Does not use strftime(): the names of days and months must be English in every locale.
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto two = [](int number) {
    return std::string{static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
  };
  text_ = std::string(kDays.substr(3 * static_cast<std::size_t>(parts.tm_wday), 3)) + ", " +
          two(parts.tm_mday) + ' ' +
          std::string(kMonths.substr(3 * static_cast<std::size_t>(parts.tm_mon), 3)) + ' ' +
          std::to_string(parts.tm_year + 1900) + ' ' + two(parts.tm_hour) + ':' +
          two(parts.tm_min) + ':' + two(parts.tm_sec) + " GMT";
  return text_;
}

WrittenResponse::WrittenResponse(const Response& response) {
  // The date is the first header, so that its offset is easy to know.
  bytes_ = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  bytes_ += reason(response.status);
  bytes_ += "\r\n";
  bytes_ += kDateHeader;
  date_at_ = bytes_.size();
  bytes_.append(HttpDate::kSize, ' ');
  bytes_ += "\r\n";
  if (response.status != 304) {
    bytes_ += "Content-Type: ";
    bytes_ += response.type;
    bytes_ += "\r\n";
    if (!response.without_length) {
      bytes_ += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
    }
  }
  bytes_ += kBeforeStyles;
  if (!response.styles.empty()) (bytes_ += ' ') += response.styles;
  bytes_ += kAfterStyles;
  bytes_ += response.headers;
  bytes_ += "\r\n";
  head_size_ = bytes_.size();
  bytes_ += response.body;
}

std::string_view WrittenResponse::bytes(std::string_view date) {
  bytes_.replace(date_at_, HttpDate::kSize, date);
  return bytes_;
}

std::string WrittenResponse::closing(std::string_view date, bool head_only) {
  constexpr std::string_view kEmptyLine = "\r\n";
  std::string text(head(date).substr(0, head_size_ - kEmptyLine.size()));
  text += "Connection: close\r\n\r\n";
  if (!head_only) text += std::string_view(bytes_).substr(head_size_);
  return text;
}

}  // namespace fathom::web
