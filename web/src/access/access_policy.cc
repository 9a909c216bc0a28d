// AccessPolicy: the checks of Host, Origin, Sec-Fetch-Site and the token.

#include "access/access_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <utility>

#include "access/token.h"

namespace fathom::web {

namespace {

constexpr std::string_view kTokenQuery = "token=";

// "localhost:8080" without its port; an IPv6 address keeps its brackets.
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.find(']', colon) != std::string_view::npos) {
    return host;
  }
  const std::string_view port = host.substr(colon + 1);
  const bool number = std::all_of(port.begin(), port.end(),
                                  [](char digit) { return digit >= '0' && digit <= '9'; });
  return number ? host.substr(0, colon) : std::string_view();
}

// Whether any cookie with that name has that value. A page on another port may set a cookie with
// the same name, which may come first.
bool has_cookie(std::string_view cookies, std::string_view name, std::string_view value) {
  bool found = false;
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view cookie = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (cookie.starts_with(' ')) cookie.remove_prefix(1);
    if (cookie.size() > name.size() && cookie.starts_with(name) && cookie[name.size()] == '=') {
      found |= is_same_secret(cookie.substr(name.size() + 1), value);
    }
  }
  return found;
}

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

std::optional<std::string> canonical_address(std::string_view host) {
  if (host.find('\0') != std::string_view::npos) return std::nullopt;  // inet_pton() stops there
  in6_addr ip6{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (!host.starts_with('[') || !host.ends_with(']')) {
    std::string address(host);
    if (::inet_pton(AF_INET, address.c_str(), &ip6) != 1) return std::nullopt;
    return address;
  }
  const std::string address(host.substr(1, host.size() - 2));
  if (::inet_pton(AF_INET6, address.c_str(), &ip6) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(&ip6)) {
    constexpr std::size_t kFirstOfIpv4 = 12;
    return ::inet_ntop(AF_INET, &ip6.s6_addr[kFirstOfIpv4], text.data(), text.size());
  }
  ::inet_ntop(AF_INET6, &ip6, text.data(), text.size());
  return '[' + std::string(text.data()) + ']';
}

AccessPolicy::AccessPolicy(Names names, std::string cookie, std::string token)
    : names_(std::move(names)), cookie_(std::move(cookie)), token_(std::move(token)) {}

std::optional<AccessPolicy::Refusal> AccessPolicy::judge(const Request& request) const {
  if (!request.has_host) return Refusal{400, "bad_request", "the Host header is missing"};
  if (!is_ours(request.host)) {
    return Refusal{421, "wrong_host",
                   "this is not a host name of this server; use the address that `fathom serve` "
                   "printed"};
  }
  const bool by_address = comes_by_address(request);
  // A link with the token may be anywhere, for example in a mail or in a terminal in a browser.
  if (!by_address && is_cross_site(request)) {
    return Refusal{403, "cross_site", "requests from other sites are not allowed"};
  }
  if (by_address ? has_token_in_address(request) : has_token(request)) return std::nullopt;
  return Refusal{401, "no_token",
                 "the token is missing or wrong; open the address that `fathom serve` printed, or "
                 "send the token as `Authorization: Bearer TOKEN`"};
}

std::string AccessPolicy::set_cookie() const {
  return "Set-Cookie: " + cookie_ + '=' + token_ + "; Path=/; HttpOnly; SameSite=Strict\r\n";
}

bool AccessPolicy::is_ours(std::string_view host) const {
  const std::string_view name = without_port(host);
  const std::optional<std::string> address = canonical_address(name);
  if (address && names_.any_address) return true;
  const auto& ours = names_.names;
  return std::find(ours.begin(), ours.end(), address.value_or(in_lower_case(name))) != ours.end();
}

// Prefers Sec-Fetch-Site, which is right even behind a proxy with another name. "same-site"
// includes other ports of the same machine, which are not trusted either.
bool AccessPolicy::is_cross_site(const Request& request) const {
  if (!request.fetch_site.empty()) {
    return request.fetch_site != "same-origin" && request.fetch_site != "none";
  }
  if (request.origin.empty()) return false;
  constexpr std::string_view kScheme = "http://";
  return !request.origin.starts_with(kScheme) ||
         request.origin.substr(kScheme.size()) != request.host;
}

bool AccessPolicy::has_token(const Request& request) const {
  constexpr std::string_view kBearer = "bearer ";
  if (in_lower_case(request.authorization.substr(0, kBearer.size())) == kBearer) {
    return is_same_secret(request.authorization.substr(kBearer.size()), token_);
  }
  return has_cookie(request.cookie, cookie_, token_);
}

bool AccessPolicy::has_token_in_address(const Request& request) const {
  return is_same_secret(request.query().substr(kTokenQuery.size()), token_);
}

bool comes_by_address(const Request& request) {
  return request.path() == "/" && request.query().starts_with(kTokenQuery);
}

}  // namespace fathom::web
