// Tests of parse_request: the supported part of RFC 9112, exact limits, and input that is not a
// request.

#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::web {
namespace {

using State = Parsed::State;

struct Outcome {
  Parsed parsed;
  Request request;
};

Outcome parse(std::string_view bytes) {
  Outcome outcome;
  outcome.parsed = parse_request(bytes, outcome.request);
  return outcome;
}

// The status of the refusal; 0 if it is not refused.
int refusal_of(std::string_view bytes) {
  const Parsed parsed = parse(bytes).parsed;
  return parsed.state == State::refused ? parsed.status : 0;
}

// A request with these headers, each with its line end, and the text after the head.
std::string with(std::string_view headers, std::string_view body = "") {
  return "GET / HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

void expect_complete(std::string_view bytes, std::size_t used) {
  const Parsed parsed = parse(bytes).parsed;
  EXPECT_EQ(parsed.state, State::complete) << bytes << parsed.status;
  EXPECT_EQ(parsed.used, used) << bytes;
}

void expect_same_texts(const Request& request, const Request& other) {
  EXPECT_EQ(request.method, other.method);
  EXPECT_EQ(request.target, other.target);
  EXPECT_EQ(request.host, other.host);
  EXPECT_EQ(request.origin, other.origin);
  EXPECT_EQ(request.fetch_site, other.fetch_site);
  EXPECT_EQ(request.authorization, other.authorization);
  EXPECT_EQ(request.cookie, other.cookie);
  EXPECT_EQ(request.if_none_match, other.if_none_match);
  EXPECT_EQ(request.accept_encoding, other.accept_encoding);
  EXPECT_EQ(request.has_host, other.has_host);
  EXPECT_EQ(request.keep_alive, other.keep_alive);
}

constexpr std::string_view kFull =
    "POST /api/1/rescan?a=1&b=%2F HTTP/1.1\r\n"
    "Host: localhost:80\r\n"
    "ORIGIN: http://localhost:80\r\n"
    "sec-fetch-site: same-origin\r\n"
    "Authorization:Bearer x\r\n"
    "Cookie: \t a=b; c=d \t \r\n"
    "If-None-Match: \"1\", W/\"2\"\r\n"
    "Accept-Encoding: gzip, br\r\n"
    "X-Other: \xff\xfe\r\n"
    "Content-Length: 5\r\n"
    "\r\n"
    "hello";

TEST(RequestParser, ExtractsTheFieldsThatTheServerUses) {
  const auto [parsed, request] = parse(kFull);
  ASSERT_EQ(parsed.state, State::complete);
  EXPECT_EQ(parsed.used, kFull.size() - 5);
  EXPECT_EQ(parsed.body, 5U);
  EXPECT_EQ(request.method, Method::post);
  EXPECT_EQ(request.target, "/api/1/rescan?a=1&b=%2F");
  EXPECT_EQ(request.path(), "/api/1/rescan");
  EXPECT_EQ(request.query(), "a=1&b=%2F");
  EXPECT_TRUE(request.has_host);
  EXPECT_EQ(request.host, "localhost:80");
  EXPECT_EQ(request.origin, "http://localhost:80");
  EXPECT_EQ(request.fetch_site, "same-origin");
  EXPECT_EQ(request.authorization, "Bearer x");
  EXPECT_EQ(request.cookie, "a=b; c=d");
  EXPECT_EQ(request.if_none_match, "\"1\", W/\"2\"");
  EXPECT_EQ(request.accept_encoding, "gzip, br");
  EXPECT_TRUE(request.keep_alive);
}

TEST(RequestParser, SeparatesPathAndQueryAtTheFirstQuestionMark) {
  const auto query_of = [](std::string_view target) {
    const std::string text = "GET " + std::string(target) + " HTTP/1.1\r\n\r\n";
    return std::string(parse(text).request.query());
  };
  EXPECT_EQ(query_of("/a"), "");
  EXPECT_EQ(query_of("/a?"), "");
  EXPECT_EQ(query_of("/a?b?c"), "b?c");
}

TEST(RequestParser, RecognizesExactlyItsMethods) {
  const auto method_of = [](std::string_view method) {
    const std::string text = std::string(method) + " / HTTP/1.1\r\n\r\n";
    const auto [parsed, request] = parse(text);
    EXPECT_EQ(parsed.state, State::complete) << method;
    return request.method;
  };
  EXPECT_EQ(method_of("GET"), Method::get);
  EXPECT_EQ(method_of("HEAD"), Method::head);
  EXPECT_EQ(method_of("POST"), Method::post);
  for (const char* other : {"get", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "GETS", "X!"}) {
    EXPECT_EQ(method_of(other), Method::other) << other;
  }
}

TEST(RequestParser, DoesNotDependOnBufferBoundaries) {
  constexpr std::string_view kBody = "hello";
  const std::string text(kFull);
  const std::size_t head = text.size() - kBody.size();
  const auto [whole, request] = parse(text);
  ASSERT_EQ(whole.state, State::complete);
  for (std::size_t size = 0; size < head; ++size) {
    const Parsed part = parse(std::string_view(text).substr(0, size)).parsed;
    EXPECT_EQ(part.state, State::incomplete) << size;
  }
  for (const std::string_view next : {"", "G", "\r\n", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01"}) {
    const std::string other = text.substr(0, head) + std::string(next);
    const auto [parsed, same] = parse(other);
    EXPECT_EQ(parsed.state, State::complete);
    EXPECT_EQ(parsed.used, head);
    EXPECT_EQ(parsed.body, kBody.size());
    expect_same_texts(same, request);
  }
}

TEST(RequestParser, ParsesPipelinedRequestsOneByOne) {
  const std::vector<std::string> requests = {
      "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n",
      "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
      "POST /3 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
      "HEAD /4 HTTP/1.1\r\nHost: h\r\n\r\n"};
  std::string all;
  for (const std::string& request : requests) all += request;
  std::string_view rest = all;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto [parsed, request] = parse(rest);
    ASSERT_EQ(parsed.state, State::complete);
    EXPECT_EQ(parsed.used + parsed.body, requests[i].size());
    EXPECT_EQ(request.target, "/" + std::to_string(i + 1));
    rest.remove_prefix(parsed.used + parsed.body);
  }
  EXPECT_TRUE(rest.empty());
}

// No response depends on the body, so the head is enough.
TEST(RequestParser, ReportsTheLengthOfABody) {
  EXPECT_EQ(parse(with("")).parsed.body, 0U);
  EXPECT_EQ(parse(with("Content-Length: 0\r\n")).parsed.body, 0U);
  EXPECT_EQ(parse(with("Content-Length: 12\r\n", "ab")).parsed.body, 12U);
  const std::string twice = with("Content-Length: 2\r\nContent-Length: 2\r\n", "ab");
  EXPECT_TRUE(refusal_of(twice) == 400 || parse(twice).parsed.body == 2);
}

TEST(RequestParser, RefusesAmbiguousFraming) {
  for (const char* headers : {
           "Content-Length: 3\r\nContent-Length: 4\r\n",
           "Content-Length: 3, 4\r\n",
           "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
           "Content-Length: -1\r\n",
           "Content-Length: +3\r\n",
           "Content-Length: 0x3\r\n",
           "Content-Length: 3a\r\n",
           "Content-Length: 3 3\r\n",
           "Content-Length:\r\n",
           "Content-Length: 18446744073709551617\r\n",
           "Content-Length: 99999999999999999999999\r\n",
           "Content-Length : 3\r\n",
           "Transfer-Encoding : chunked\r\n",
       }) {
    const int status = refusal_of(with(headers, "abcd"));
    EXPECT_TRUE(status == 400 || status == 413) << headers << status;
  }
}

// No request needs a body of unknown length, and if two servers interpret an encoding differently,
// one of them may see a further request in it (RFC 9112, 6.3).
TEST(RequestParser, RefusesEveryTransferEncoding) {
  for (const char* headers : {
           "Transfer-Encoding: chunked\r\n",
           "transfer-encoding: ChunKed\r\n",
           "Transfer-Encoding: identity\r\n",
           "Transfer-Encoding: chunked, identity\r\n",
           "Transfer-Encoding: gzip, chunked\r\n",
           "Transfer-Encoding: xchunked\r\n",
           "Transfer-Encoding: \"chunked\"\r\n",
           "Transfer-Encoding: chunked;q=1\r\n",
           "Transfer-Encoding:\r\n",
           "Transfer-Encoding:\r\n chunked\r\n",
           "Transfer-Encoding: identity\r\nContent-Length: 4\r\n",
           "Content-Length: 4\r\nTransfer-Encoding: identity\r\n",
       }) {
    EXPECT_EQ(refusal_of(with(headers, "0\r\n\r\n")), 400) << headers;
  }
  EXPECT_EQ(refusal_of("POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            400);
}

TEST(RequestParser, RefusesLinesThatDoNotEndInCrLf) {
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\nHost: h\n\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: h\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: h\r\nA: b\n\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: h\rA: b\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\rHost: h\r\n\r\n"), 400);
}

// "Host: a\r\n b": the obsolete line folding (RFC 9112, 5.2).
TEST(RequestParser, DoesNotUnfoldHeaders) {
  for (const char* name : {"Host", "Origin", "Authorization", "Cookie", "If-None-Match",
                           "Accept-Encoding", "Sec-Fetch-Site"}) {
    const std::string text = "GET / HTTP/1.1\r\n" + std::string(name) + ": a\r\n b\r\nX: y\r\n\r\n";
    EXPECT_EQ(refusal_of(text), 400) << name;
  }
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), 400);
}

TEST(RequestParser, RefusesDuplicatesOfCriticalHeaders) {
  for (const char* name : {"Host", "Origin", "Authorization", "Sec-Fetch-Site"}) {
    const std::string once = std::string(name) + ": a\r\n";
    EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\n" + once + "X: y\r\n" + once + "\r\n"), 400) << name;
  }
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost:\r\nHost: h\r\n\r\n"), 400);
}

TEST(RequestParser, UsesTheFirstOfRepeatableHeaders) {
  const std::string text = with("Cookie: a=1\r\nCookie: b=2\r\n");
  EXPECT_EQ(parse(text).request.cookie, "a=1");
}

TEST(RequestParser, DistinguishesAMissingHostFromAnEmptyOne) {
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\n\r\n").request.has_host);
  const auto [parsed, request] = parse("GET / HTTP/1.1\r\nHost:\r\n\r\n");
  EXPECT_EQ(parsed.state, State::complete);
  EXPECT_TRUE(request.has_host);
  EXPECT_EQ(request.host, "");
}

TEST(RequestParser, RefusesInvalidHeaderNames) {
  for (const char* line : {"Host : h", " Host: h", "Ho st: h", "Host", ": h", "Ho\x01st: h",
                           "Ho\xffst: h", "\tHost: h", "H(st: h"}) {
    EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\n" + std::string(line) + "\r\n\r\n"), 400) << line;
  }
}

TEST(RequestParser, RefusesInvalidBytesInHeaders) {
  using namespace std::string_view_literals;
  for (const std::string_view value : {"a\0b"sv, "\0"sv, "a\x01"sv, "a\x7f"sv, "a\x1b[2J"sv}) {
    EXPECT_EQ(refusal_of(with("X: " + std::string(value) + "\r\n")), 400) << value;
    EXPECT_EQ(refusal_of(with("Cookie: " + std::string(value) + "\r\n")), 400) << value;
  }
}

TEST(RequestParser, RefusesTargetsThatAreNotPaths) {
  using namespace std::string_view_literals;
  for (const std::string_view target :
       {"http://h/"sv, "h"sv, "//"sv.substr(0, 0), "h:80"sv, "?x"sv, "#x"sv, "\\"sv, "/\0"sv,
        "/\x7f"sv, "/\x01"sv, "/\t"sv, "/a b"sv}) {
    const std::string text = "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
    EXPECT_EQ(refusal_of(text), 400) << target;
  }
  EXPECT_EQ(refusal_of("GET  / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET /  HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of(" GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1 \r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("G\x01T / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("G(T / HTTP/1.1\r\n\r\n"), 400);
}

TEST(RequestParser, RefusesInputThatIsNotHttp) {
  EXPECT_EQ(refusal_of("\x16\x03\x01\x02\x00\x01\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("SSH-2.0-x\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET /\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("\r\n\r\nGET / HTTP/1.1\r\n\r\n"), 400);
}

TEST(RequestParser, RefusesOtherVersions) {
  for (const char* version : {"HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/9.9", "http/1.1", "HTTP/1",
                              "HTTP/11", "HTTP/1.11", "HTTP/1,1", "HTTP1.1"}) {
    const std::string text = "GET / " + std::string(version) + "\r\nHost: h\r\n\r\n";
    EXPECT_EQ(refusal_of(text), 400) << version;
  }
}

TEST(RequestParser, KeepsConnectionsOfHttp11UnlessTheyAskForClose) {
  const auto keeps = [](const std::string& version, const std::string& header) {
    const std::string text = "GET / " + version + "\r\nHost: h\r\n" + header + "\r\n";
    const auto [parsed, request] = parse(text);
    EXPECT_EQ(parsed.state, State::complete) << text;
    return request.keep_alive;
  };
  EXPECT_TRUE(keeps("HTTP/1.1", ""));
  EXPECT_TRUE(keeps("HTTP/1.1", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: x, CLOSE\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0", ""));
  EXPECT_FALSE(keeps("HTTP/1.0", "Connection: keep-alive\r\n"));
}

TEST(RequestParser, AcceptsATargetUpToTheLimit) {
  const auto request = [](std::size_t size) {
    return "GET /" + std::string(size - 1, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n";
  };
  const std::string at = request(kMaxTarget);
  expect_complete(at, at.size());
  EXPECT_EQ(refusal_of(request(kMaxTarget + 1)), 414);
}

TEST(RequestParser, RefusesATargetThatDoesNotEnd) {
  const std::string endless = "GET /" + std::string(2 * kMaxHead, 'a');
  std::optional<int> refused;
  for (std::size_t size = 0; size <= endless.size() && !refused; ++size) {
    const Parsed parsed = parse(std::string_view(endless).substr(0, size)).parsed;
    if (parsed.state == State::refused) refused = parsed.status;
    if (size > kMaxHead) {
      EXPECT_TRUE(refused) << "after " << size << " bytes";
    }
  }
  EXPECT_EQ(refused, 414);
}

TEST(RequestParser, AcceptsAHeadUpToTheLimit) {
  const auto request = [](std::size_t size) {
    const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
    return begin + std::string(size - begin.size() - 4, 'a') + "\r\n\r\n";
  };
  const std::string at = request(kMaxHead);
  ASSERT_EQ(at.size(), kMaxHead);
  expect_complete(at, at.size());
  EXPECT_EQ(refusal_of(request(kMaxHead + 1)), 431);
}

TEST(RequestParser, RefusesManySmallHeadersBeyondTheLimit) {
  std::string text = "GET / HTTP/1.1\r\nHost: h\r\n";
  while (text.size() <= kMaxHead) text += "a:b\r\n";
  EXPECT_EQ(refusal_of(text), 431);
  EXPECT_EQ(refusal_of(text + "\r\n"), 431);
}

// The head decides; the body need not have arrived.
TEST(RequestParser, AcceptsABodyUpToTheLimit) {
  const auto by_length = [](std::size_t size) {
    return with("Content-Length: " + std::to_string(size) + "\r\n");
  };
  EXPECT_EQ(parse(by_length(kMaxBody)).parsed.body, kMaxBody);
  EXPECT_EQ(refusal_of(by_length(kMaxBody + 1)), 413);
}

// ---- Input that arrives byte by byte

TEST(MayTellMore, AfterTheRequestLineAndAfterAnEmptyLine) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n";
  std::vector<std::size_t> ends;
  for (std::size_t known = 1; known < head.size(); ++known) {
    if (may_tell_more(std::string_view(head).substr(0, known + 1), known)) ends.push_back(known);
  }
  EXPECT_EQ(ends, (std::vector<std::size_t>{head.find('\n'), head.size() - 1}));
}

TEST(MayTellMore, AfterAnEmptyLineWithoutCarriageReturn) {
  EXPECT_TRUE(may_tell_more("GET / HTTP/1.1\r\nX: y\n\n", 20));
  EXPECT_TRUE(may_tell_more("GET / HTTP/1.1\r\nX: y\n\nmore", 20));
  EXPECT_FALSE(may_tell_more("GET / HTTP/1.1\r\nX: y\nmore", 20));
}

TEST(MayTellMore, AtTheLimitOfAHead) {
  EXPECT_FALSE(may_tell_more(std::string(kMaxHead - 1, 'x'), 1));
  EXPECT_TRUE(may_tell_more(std::string(kMaxHead, 'x'), 1));
}

// The result does not depend on when it is asked.
TEST(MayTellMore, NeverMissesTheEndOrAnError) {
  for (const std::string text :
       {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\n\n", "NONSENSE\r\n\r\n", "\r\n\r\n",
        "GET / HTTP/1.1\r\nNo colon\r\n\r\n", "GET / HTTP/1.1\r\nX: a\nb\r\n\r\n"}) {
    Request request;
    const Parsed at_once = parse_request(text, request);
    Parsed parsed;
    std::size_t known = 0;
    for (std::size_t size = 1; size <= text.size(); ++size) {
      const std::string_view bytes = std::string_view(text).substr(0, size);
      if (known > 0 && !may_tell_more(bytes, known)) {
        known = size;
        continue;
      }
      parsed = parse_request(bytes, request);
      known = size;
      if (parsed.state != Parsed::State::incomplete) break;
    }
    EXPECT_EQ(parsed.state, at_once.state) << text;
    EXPECT_EQ(parsed.status, at_once.status) << text;
  }
}

}  // namespace
}  // namespace fathom::web
