// Fuzzes AccessPolicy with requests, given as lines of Host, Origin, Sec-Fetch-Site, Authorization,
// Cookie and target: a request passes only with the token, a host name of the server, and no other
// origin.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "access/access_policy.h"
#include "fathom/testing/always.h"

namespace fathom::web {
namespace {

constexpr std::string_view kToken = "token-token-token-token-token-token-token-t";

AccessPolicy policy_of(bool any_address) {
  return {{.names = {"localhost", "127.0.0.1", "[::1]"}, .any_address = any_address},
          "fathom-80",
          std::string(kToken)};
}

Request request_of(std::string_view text) {
  std::array<std::string_view, 6> lines{};
  for (std::string_view& line : lines) {
    line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  Request request;
  request.method = Method::get;
  request.has_host = true;
  request.host = lines[0];
  request.origin = lines[1];
  request.fetch_site = lines[2];
  request.authorization = lines[3];
  request.cookie = lines[4];
  request.target = lines[5];
  return request;
}

// Whether this Host header names our server. Parsed from the front, whereas AccessPolicy parses it
// from the end.
bool is_ours(std::string_view host, bool any_address) {
  const std::string lower = in_lower_case(host);
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!lower.starts_with(name)) continue;
    const std::string_view rest = std::string_view(lower).substr(name.size());
    if (rest.empty()) return true;
    const bool is_port = rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
    if (rest.front() == ':' && is_port) return true;
  }
  const bool looks_like_an_address =
      lower.find_first_not_of(lower.starts_with('[') ? "0123456789abcdef:.[]" : "0123456789.:") ==
      std::string::npos;
  // Addresses have many spellings; all of those of loopback end in 1.
  const bool may_be_loopback =
      lower.starts_with('[') && lower.substr(0, lower.find(']')).ends_with('1');
  return looks_like_an_address && (any_address || may_be_loopback);
}

bool is_from_another_site(const Request& request) {
  if (request.fetch_site == "none" || request.fetch_site == "same-origin") return false;
  if (request.fetch_site != "") return true;
  return request.origin != "" && request.origin != "http://" + std::string(request.host);
}

bool holds(std::string_view text, std::string_view secret) {
  return text.find(secret) != std::string_view::npos;
}

void check_at(std::string_view text, bool any_address) {
  const AccessPolicy policy = policy_of(any_address);
  const Request request = request_of(text);
  const auto refusal = policy.judge(request);
  if (refusal) {
    testing::always(refusal->status == 421 || refusal->status == 403 || refusal->status == 401,
                    "an undocumented status");
    return;
  }
  testing::always(is_ours(request.host, any_address), "a foreign name passes");
  const bool by_address = request.target == "/?token=" + std::string(kToken);
  testing::always(by_address || !is_from_another_site(request), "another site passes");
  testing::always(
      by_address || holds(request.authorization, kToken) || holds(request.cookie, kToken),
      "a request without the token passes");
  Request without = request;
  without.authorization = {};
  without.cookie = {};
  without.target = "/";
  testing::always(policy.judge(without).has_value(), "the token is not required");
}

}  // namespace
}  // namespace fathom::web

// libFuzzer prescribes the name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fathom::web::check_at(text, false);
  fathom::web::check_at(text, true);
  return 0;
}
