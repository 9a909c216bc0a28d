// Tests of AccessPolicy: the requests that pass, and every known attack.

#include "access/access_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace fathom::web {
namespace {

constexpr std::string_view kToken = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ";
const std::string kBearer = "Bearer " + std::string(kToken);
constexpr std::string_view kHost = "127.0.0.1:8000";

AccessPolicy policy_of(bool any_address = false) {
  return {{.names = {"localhost", "127.0.0.1", "[::1]"}, .any_address = any_address},
          "fathom-8000",
          std::string(kToken)};
}

Request request_of(std::string_view host = kHost) {
  Request request;
  request.method = Method::get;
  request.target = "/api/1/status";
  request.host = host;
  request.has_host = true;
  request.authorization = kBearer;
  return request;
}

// The status of the refusal; 0 if the request passes.
int judge(AccessPolicy& policy, const Request& request) {
  const auto refusal = policy.judge(request);
  return refusal ? refusal->status : 0;
}
int judge(const Request& request) {
  AccessPolicy policy = policy_of();
  return judge(policy, request);
}

// ---- Host

TEST(AccessPolicy, AcceptsItsOwnHostNames) {
  for (const char* host :
       {"127.0.0.1:8000", "127.0.0.1", "localhost:8000", "localhost", "LocalHost:8000",
        "[::1]:8000", "[::1]", "127.0.0.1:1", "localhost:65535", "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]:8000", "[::FFFF:7f00:1]"}) {
    EXPECT_EQ(judge(request_of(host)), 0) << host;
  }
}

TEST(AccessPolicy, RefusesARequestWithoutAHost) {
  Request request = request_of();
  request.host = {};
  request.has_host = false;
  EXPECT_EQ(judge(request), 400);
}

TEST(AccessPolicy, RefusesForeignNamesThatResolveToThisServer) {
  using namespace std::string_view_literals;
  for (const std::string_view host : {"evil.example"sv,
                                      "evil.example:8000"sv,
                                      "127.0.0.1.evil.example"sv,
                                      "127.0.0.1.nip.example:8000"sv,
                                      "localhost.evil.example"sv,
                                      "evil.localhost"sv,
                                      "localhost."sv,
                                      "127.0.0.1."sv,
                                      "127.0.0.1.:8000"sv,
                                      "127.0.0.1@evil.example"sv,
                                      "127.0.0.1:8000@evil.example"sv,
                                      "evil.example@127.0.0.1"sv,
                                      "evil.example@127.0.0.1:8000"sv,
                                      "user:pass@localhost:8000"sv,
                                      "evil.example:80@127.0.0.1:8000"sv,
                                      "127.0.0.1/"sv,
                                      "127.0.0.1:8000/"sv,
                                      "127.0.0.1:x"sv,
                                      "127.0.0.1:-1"sv,
                                      "127.0.0.1:80:80"sv,
                                      "127.0.0.1 "sv,
                                      " 127.0.0.1"sv,
                                      "127.0.0.1,evil.example"sv,
                                      "127.0.0.1:8000,evil.example"sv,
                                      ""sv,
                                      ":"sv,
                                      ":8000"sv,
                                      "127.1"sv,
                                      "2130706433"sv,
                                      "0x7f000001"sv,
                                      "0177.0.0.1"sv,
                                      "127.0.0.2"sv,
                                      "0.0.0.0"sv,
                                      "0"sv,
                                      "::1"sv,
                                      "[::1"sv,
                                      "::1]"sv,
                                      "[::1]]"sv,
                                      "[[::1]]"sv,
                                      "[::1]evil"sv,
                                      "[::1].evil.example"sv,
                                      "[::ffff:127.0.0.2]"sv,
                                      "[::127.0.0.1]"sv,
                                      "[::2]"sv,
                                      "[::1%25lo]"sv,
                                      "192.168.1.1"sv,
                                      "localhost\0.evil.example"sv,
                                      "localhost\0"sv,
                                      "local\xc4\xb1host"sv,
                                      "loca\xe2\x84\x93host"sv,
                                      "*"sv,
                                      "localhost#"sv,
                                      "localhost?"sv,
                                      "localhost\\"sv,
                                      "file://"sv}) {
    EXPECT_EQ(judge(request_of(host)), 421) << host;
  }
}

// The owner of a name decides where it resolves to; an address cannot be redirected.
TEST(AccessPolicy, AcceptsAnyAddressIfConfigured) {
  using namespace std::string_view_literals;
  for (const char* host : {"192.0.2.1", "192.0.2.1:8000", "[2001:db8::1]:8000", "[2001:db8::1]",
                           "10.0.0.1", "localhost:8000"}) {
    AccessPolicy policy = policy_of(true);
    EXPECT_EQ(judge(policy, request_of(host)), 0) << host;
  }
  for (const std::string_view host :
       {"evil.example"sv, "192.0.2.1.evil.example"sv, "192.0.2.1@evil.example"sv, "2001:db8::1"sv,
        "192.0.2"sv, "[192.0.2.1]"sv, "[]"sv, ""sv, "192.0.2.256"sv, "[fe80::1%eth0]"sv,
        "192.0.2.1\0.evil.example"sv, "[2001:db8::1\0]"sv}) {
    AccessPolicy policy = policy_of(true);
    EXPECT_EQ(judge(policy, request_of(host)), 421) << host;
  }
}

TEST(AccessPolicy, RefusesAWrongHostWhateverTokenItHas) {
  Request request = request_of("evil.example");
  EXPECT_EQ(judge(request), 421);
  request.authorization = {};
  const std::string address = "/?token=" + std::string(kToken);
  request.target = address;
  EXPECT_EQ(judge(request), 421);
}

// ---- Other sites

TEST(AccessPolicy, RefusesRequestsFromAnotherSite) {
  for (const char* origin :
       {"null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001",
        "http://127.0.0.1", "http://localhost:8000", "http://127.0.0.1:8000.evil.example",
        "http://127.0.0.1:8000/", "file://", "chrome-extension://abc", "127.0.0.1:8000",
        "//127.0.0.1:8000", "http://", "HTTP://127.0.0.1:8000", "http://x@127.0.0.1:8000",
        "http://127.0.0.1:8000, http://evil.example", "http://127.0.0.1:80000"}) {
    Request request = request_of();
    request.origin = origin;
    EXPECT_EQ(judge(request), 403) << origin;
  }
}

TEST(AccessPolicy, AcceptsRequestsFromItsOwnPage) {
  for (const char* host : {"127.0.0.1:8000", "localhost:8000", "[::1]:8000", "localhost"}) {
    const std::string origin = "http://" + std::string(host);
    Request request = request_of(host);
    request.origin = origin;
    EXPECT_EQ(judge(request), 0) << host;
    request.fetch_site = "same-origin";
    EXPECT_EQ(judge(request), 0) << host;
  }
}

TEST(AccessPolicy, TrustsFetchMetadata) {
  for (const char* site : {"same-origin", "none"}) {
    Request request = request_of();
    request.fetch_site = site;
    EXPECT_EQ(judge(request), 0) << site;
  }
  for (const char* site :
       {"cross-site", "same-site", "Same-Origin", "same-origin, cross-site", "x", "same"}) {
    Request request = request_of();
    request.fetch_site = site;
    EXPECT_EQ(judge(request), 403) << site;
  }
}

// Scripts cannot set Sec-Fetch-Site, and behind a proxy the Origin may differ from the Host.
TEST(AccessPolicy, PrefersFetchMetadataToTheOrigin) {
  Request request = request_of();
  request.origin = "http://127.0.0.1:8000";
  request.fetch_site = "cross-site";
  EXPECT_EQ(judge(request), 403);
  request.origin = "https://fathom.example";
  request.fetch_site = "same-origin";
  EXPECT_EQ(judge(request), 0);
  request.fetch_site = {};
  EXPECT_EQ(judge(request), 403);
}

TEST(AccessPolicy, ReportsAnotherSiteBeforeAMissingToken) {
  Request request = request_of();
  request.authorization = {};
  request.origin = "http://evil.example";
  EXPECT_EQ(judge(request), 403) << "it would learn something";
}

// ---- The token

TEST(AccessPolicy, RefusesRequestsWithoutTheToken) {
  Request request = request_of();
  request.authorization = {};
  EXPECT_EQ(judge(request), 401);
}

TEST(AccessPolicy, AcceptsOnlyTheExactTokenAsAuthorization) {
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER "}) {
    const std::string text = scheme + std::string(kToken);
    Request request = request_of();
    request.authorization = text;
    EXPECT_EQ(judge(request), 0) << text;
  }
  const std::string token(kToken);
  std::vector<std::string> wrong = {token,
                                    "Bearer",
                                    "Bearer ",
                                    "Bearer" + token,
                                    "Bearer\t" + token,
                                    "Basic " + token,
                                    "Bearer " + token + "x",
                                    "Bearer " + token + " ",
                                    "Bearer " + token.substr(1),
                                    "Bearer  " + token,
                                    "Bearer \"" + token + '"',
                                    "Bearer " + token + ',' + token,
                                    "Bearer " + std::string(43, 'A'),
                                    "Bearer " + std::string(43, '\0')};
  for (std::size_t at = 0; at < token.size(); ++at) {
    std::string other = "Bearer " + token;
    other[7 + at] = static_cast<char>(other[7 + at] ^ 1);
    wrong.push_back(other);
  }
  for (const std::string& text : wrong) {
    Request request = request_of();
    request.authorization = text;
    EXPECT_EQ(judge(request), 401) << text;
  }
}

int judge_cookie(const std::string& cookie) {
  Request request = request_of();
  request.authorization = {};
  request.cookie = cookie;
  return judge(request);
}

TEST(AccessPolicy, FindsItsCookieAmongOthers) {
  const std::string ours = "fathom-8000=" + std::string(kToken);
  for (const std::string& cookies :
       {ours, "a=b; " + ours, ours + "; a=b", "a=b; " + ours + "; c=d", "a=b;" + ours, "a; " + ours,
        "=; " + ours, "fathom-80=x; fathom-80000=y; " + ours, ";;; " + ours + ";",
        "fathom-8000; " + ours}) {
    EXPECT_EQ(judge_cookie(cookies), 0) << cookies;
  }
}

TEST(AccessPolicy, IgnoresCookiesWithSimilarNames) {
  const std::string token(kToken);
  for (const std::string& cookies :
       {"fathom-8001=" + token, "fathom-80=" + token, "fathom-80000=" + token,
        "xfathom-8000=" + token, "fathom=" + token, "FATHOM-8000=" + token, "fathom-8000 =" + token,
        "fathom-8000= " + token, "fathom-8000==" + token, "fathom-8000=\"" + token + '"',
        "fathom-8000=" + token + "x", "fathom-8000=" + token.substr(0, 42),
        std::string("fathom-8000="), std::string("fathom-8000"), token, '=' + token,
        "a=fathom-8000=" + token, "a=b, fathom-8000=" + token, std::string()}) {
    EXPECT_EQ(judge_cookie(cookies), 401) << cookies;
  }
}

// A wrong Authorization is refused even if the request also has a valid cookie.
TEST(AccessPolicy, ChecksTheAuthorizationBeforeTheCookie) {
  const std::string cookie = "fathom-8000=" + std::string(kToken);
  Request request = request_of();
  request.cookie = cookie;
  request.authorization = "Bearer wrong";
  EXPECT_EQ(judge(request), 401);
  request.authorization = "Basic dXNlcjpwYXNz";
  EXPECT_EQ(judge(request), 0);
}

int judge_target(const std::string& target) {
  Request request = request_of();
  request.authorization = {};
  request.target = target;
  return judge(request);
}

TEST(AccessPolicy, AcceptsTheTokenInTheUrlOnlyForThePage) {
  const std::string query = "token=" + std::string(kToken);
  EXPECT_EQ(judge_target("/?" + query), 0);
  for (const std::string& target :
       {"/api/1/status?" + query, "/page.js?" + query, "//?" + query, "/index.html?" + query,
        "/?a=b&" + query, "/?" + query + "&a=b", "/?" + query + "x", "/??" + query,
        "/?TOKEN=" + std::string(kToken), std::string("/?token="), std::string("/?token"),
        std::string("/"), "/#" + query, "/%3F" + query, "/?%74oken=" + std::string(kToken),
        "/./?" + query, "*?" + query}) {
    EXPECT_EQ(judge_target(target), 401) << target;
  }
}

// A mail or another page may link to the address; the browser then reports that site.
TEST(AccessPolicy, AcceptsTheTokenUrlFromAnySite) {
  const std::string address = "/?token=" + std::string(kToken);
  Request request = request_of();
  request.authorization = {};
  request.target = address;
  request.fetch_site = "cross-site";
  EXPECT_EQ(judge(request), 0);
  request.target = "/?token=wrong";
  EXPECT_EQ(judge(request), 401);
}

TEST(AccessPolicy, SetsACookieThatScriptsAndOtherSitesCannotRead) {
  EXPECT_EQ(policy_of().set_cookie(), "Set-Cookie: fathom-8000=" + std::string(kToken) +
                                          "; Path=/; HttpOnly; SameSite=Strict\r\n");
}

TEST(AccessPolicy, NeverRevealsTheTokenInARefusal) {
  AccessPolicy policy = policy_of();
  for (Request request : {request_of("evil.example"), request_of(), Request()}) {
    request.authorization = {};
    const auto refusal = policy.judge(request);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->message.find(kToken), std::string_view::npos);
    EXPECT_FALSE(refusal->message.empty());
  }
}

}  // namespace
}  // namespace fathom::web
