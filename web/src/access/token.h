// Token: the secret that who asks must know.

#pragma once

#include <string>
#include <string_view>

namespace fathom::web {

// 256 random bits of the kernel's, as 43 characters that may stand in an address and in a cookie
// (base64url, RFC 4648). Throws base::SystemError.
[[nodiscard]] std::string make_token();

// Takes as long for a guess that is right but for its last character as for one that is all wrong,
// so that nobody finds a secret out character by character. How long the secret is, is no secret.
[[nodiscard]] bool is_same_secret(std::string_view guess, std::string_view secret);

}  // namespace fathom::web
