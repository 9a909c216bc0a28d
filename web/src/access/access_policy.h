// AccessPolicy: decides which requests are allowed.
//
// Each of three rules prevents one attack. DNS rebinding: a page of another site, whose name
// resolves to this server, sends that name as Host. Cross-site requests: the browser sets Origin or
// Sec-Fetch-Site, which scripts cannot change. Anybody else who can connect, such as another user
// of the machine, does not know the token.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"

namespace fathom::web {

class AccessPolicy {
 public:
  // The allowed values of Host, without the port: these names, in lower case ("localhost"), and
  // canonical addresses ("127.0.0.1", "[::1]"), however a client writes them; and, if any_address
  // is set, every IP address, which DNS cannot rebind.
  struct Names {
    std::vector<std::string> names;
    bool any_address = false;
  };
  // cookie: the name of the cookie that contains the token.
  AccessPolicy(Names names, std::string cookie, std::string token);

  // Why a request is rejected, for the response.
  struct Refusal {
    int status;  // 400, 401, 403 or 421
    std::string_view code;
    std::string_view message;
  };
  // Returns nothing if the request is allowed.
  [[nodiscard]] std::optional<Refusal> judge(const Request& request) const;

  // The header that makes a browser store the token, for requests with the token in the address.
  [[nodiscard]] std::string set_cookie() const;

 private:
  [[nodiscard]] bool is_ours(std::string_view host) const;
  [[nodiscard]] bool is_cross_site(const Request& request) const;
  [[nodiscard]] bool has_token(const Request& request) const;
  [[nodiscard]] bool has_token_in_address(const Request& request) const;

  const Names names_;
  const std::string cookie_;
  const std::string token_;
};

[[nodiscard]] std::string in_lower_case(std::string_view text);  // converts only ASCII letters

// The address in "192.0.2.1" or "[2001:db8::1]", as browsers write it; nothing if it is none. An
// IPv4 address that is mapped to IPv6 is the IPv4 address.
[[nodiscard]] std::optional<std::string> canonical_address(std::string_view host);

// Whether the request is for the page with a token in the address: "/?token=...".
[[nodiscard]] bool comes_by_address(const Request& request);

}  // namespace fathom::web
