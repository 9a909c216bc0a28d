// Gate: who may ask this server, and for what.
//
// Three attacks are kept out, each by a rule of its own. A page of another site whose name was made
// to lead here (DNS rebinding) sends its own name as Host. A page that makes the browser ask here
// (cross-site requests) is told by Origin or Sec-Fetch-Site, which scripts cannot set. And anybody
// else who can connect, another user of the machine say, does not know the token.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"

namespace fathom::web {

class Gate {
 public:
  // What a Host may be, its port aside: one of these, in lower case ("localhost", "127.0.0.1",
  // "[::1]"); or any address, for one that is no name cannot have been made to lead elsewhere.
  struct Names {
    std::vector<std::string> names;
    bool any_address = false;
  };
  // cookie: the name of the one that has the token.
  Gate(Names names, std::string cookie, std::string token);

  // Why a request is refused, for its sender.
  struct Refusal {
    int status;  // 400, 401, 403 or 421
    std::string_view code;
    std::string_view message;
  };
  // Nothing: it may pass.
  [[nodiscard]] std::optional<Refusal> judge(const Request& request) const;

  // The line that makes a browser remember the token, for who has come by an address with it.
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

[[nodiscard]] std::string in_lower_case(std::string_view text);  // of ASCII

// Whether the request is for the page itself with a token in its address: "/?token=...".
[[nodiscard]] bool comes_by_address(const Request& request);

}  // namespace fathom::web
