// Tests of Response: the bytes of responses, and the headers that each of them has.

#include "http/response.h"

#include <gtest/gtest.h>

#include <chrono>
#include <clocale>
#include <cstddef>
#include <ctime>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::web {
namespace {

constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view kOtherDate = "Mon, 07 Nov 1994 08:49:38 GMT";

std::vector<std::string> lines_of(std::string_view head) {
  std::vector<std::string> lines;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    if (end == std::string_view::npos) throw std::runtime_error("a line does not end");
    lines.emplace_back(head.substr(0, end));
    head.remove_prefix(end + 2);
  }
  return lines;
}

bool has_line(std::string_view text, const std::string& line) {
  return text.find("\r\n" + line + "\r\n") != std::string_view::npos;
}

TEST(Response, IsAHeadAndABody) {
  WrittenResponse written(
      {.status = 404, .type = kJson, .headers = "X-One: 1\r\nX-Two: 2\r\n", .body = "{}"});
  const std::string text(written.bytes(kDate));
  EXPECT_EQ(text.size(), written.size());
  EXPECT_TRUE(
      text.starts_with("HTTP/1.1 404 Not Found\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
  EXPECT_TRUE(has_line(text, "Content-Type: application/json"));
  EXPECT_TRUE(has_line(text, "Content-Length: 2"));
  EXPECT_TRUE(has_line(text, "X-One: 1"));
  EXPECT_TRUE(has_line(text, "X-Two: 2"));
  EXPECT_TRUE(text.ends_with("\r\n\r\n{}"));
  EXPECT_EQ(text.find("\r\n\r\n"), text.size() - 6);
  for (const std::string& line : lines_of(text.substr(0, text.size() - 4))) {
    EXPECT_TRUE(line.starts_with("HTTP/") || line.find(": ") != std::string::npos) << line;
  }
}

TEST(Response, ForbidsFeaturesThatThePageDoesNotNeed) {
  for (const int status :
       {200, 202, 304, 400, 401, 403, 404, 405, 408, 409, 413, 414, 421, 431, 503}) {
    WrittenResponse written({.status = status});
    const std::string_view text = written.bytes(kDate);
    EXPECT_TRUE(has_line(text, "X-Content-Type-Options: nosniff"));
    EXPECT_TRUE(has_line(text, "X-Frame-Options: DENY"));
    EXPECT_TRUE(has_line(text, "Referrer-Policy: no-referrer"));
    EXPECT_TRUE(has_line(text, "Cache-Control: private, no-cache"));
    EXPECT_TRUE(has_line(text, "Cross-Origin-Opener-Policy: same-origin"));
    EXPECT_TRUE(has_line(text, "Cross-Origin-Resource-Policy: same-origin"));
    EXPECT_NE(text.find("Content-Security-Policy: default-src 'none';"), std::string_view::npos);
    EXPECT_NE(text.find("frame-ancestors 'none'"), std::string_view::npos);
    EXPECT_EQ(text.find("unsafe-"), std::string_view::npos);
    EXPECT_EQ(text.find("Access-Control-"), std::string_view::npos);
    EXPECT_EQ(text.find("Server:"), std::string_view::npos);
    EXPECT_TRUE(text.substr(9, 4) == std::to_string(status) + " ");
    EXPECT_EQ(text.find(" Error\r\n"), std::string_view::npos) << "no reason for " << status;
  }
}

TEST(Response, HasNoBodyHeadersWithoutABody) {
  WrittenResponse written({.status = 304});
  const std::string_view text = written.bytes(kDate);
  EXPECT_EQ(text.find("\r\nContent-Length"), std::string_view::npos);
  EXPECT_EQ(text.find("\r\nContent-Type"), std::string_view::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(Response, OfAnEmptyBodyHasALength) {
  EXPECT_TRUE(has_line(WrittenResponse(Response{}).bytes(kDate), "Content-Length: 0"));
}

TEST(Response, OfUnknownLengthHasNoLength) {
  WrittenResponse written({.type = "text/event-stream", .without_length = true});
  EXPECT_EQ(written.bytes(kDate).find("Content-Length"), std::string_view::npos);
  EXPECT_EQ(written.bytes(kDate).find("Transfer-Encoding"), std::string_view::npos);
}

TEST(Response, HasTheDateOfItsSending) {
  WrittenResponse written({.body = "body"});
  const std::string first(written.bytes(kDate));
  std::string second(written.bytes(kOtherDate));
  EXPECT_NE(first, second);
  EXPECT_TRUE(has_line(second, "Date: " + std::string(kOtherDate)));
  second.replace(second.find(kOtherDate), kOtherDate.size(), kDate);
  EXPECT_EQ(first, second);
}

TEST(Response, ToHeadHasTheSameHeadWithoutABody) {
  WrittenResponse written({.body = "body\r\n\r\nof bytes"});
  const std::string all(written.bytes(kDate));
  const std::string head(written.head(kDate));
  EXPECT_EQ(all, head + "body\r\n\r\nof bytes");
  EXPECT_TRUE(has_line(head, "Content-Length: 16"));
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

TEST(Response, MarksTheLastOfAConnection) {
  WrittenResponse written({.headers = "X: y\r\n", .body = "body"});
  const std::string text = written.closing(kDate, false);
  EXPECT_TRUE(has_line(text, "Connection: close"));
  EXPECT_TRUE(text.ends_with("X: y\r\nConnection: close\r\n\r\nbody"));
  EXPECT_TRUE(written.closing(kDate, true).ends_with("Connection: close\r\n\r\n"));
  EXPECT_EQ(written.bytes(kDate).find("Connection"), std::string_view::npos) << "it was changed";
}

TEST(HttpDate, HasTheFormatOfTheRfc) {
  HttpDate date;
  const std::time_t before = std::time(nullptr);
  const std::string text(date.at(rt::EventLoop::Time()));
  const std::time_t after = std::time(nullptr);
  ASSERT_EQ(text.size(), HttpDate::kSize);
  EXPECT_TRUE(std::regex_match(
      text, std::regex("(Sun|Mon|Tue|Wed|Thu|Fri|Sat), [0-3][0-9] "
                       "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} "
                       "[0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT")))
      << text;
  std::tm parts{};
  ASSERT_NE(::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts), nullptr);
  const std::time_t told = ::timegm(&parts);
  EXPECT_GE(told, before);
  EXPECT_LE(told, after);
}

// The time of the loop decides: within one second, the text is not computed again.
TEST(HttpDate, IsCachedForASecondOfTheLoop) {
  HttpDate date;
  const rt::EventLoop::Time now{};
  const char* const first = date.at(now).data();
  const std::string text(date.at(now));
  EXPECT_EQ(date.at(now + std::chrono::milliseconds(999)), text);
  EXPECT_EQ(date.at(now + std::chrono::milliseconds(999)).data(), first);
  EXPECT_EQ(date.at(now + std::chrono::hours(1)).size(), HttpDate::kSize);
}

}  // namespace
}  // namespace fathom::web
