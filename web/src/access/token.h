// Token: the secret that clients must know.

#pragma once

#include <string>
#include <string_view>

namespace fathom::web {

// 256 random bits from the kernel as 43 characters of base64url (RFC 4648), which are valid in
// addresses and cookies. Throws base::SystemError.
[[nodiscard]] std::string make_token();

// 40 random bits as eight letters and digits that are not mistaken for each other, such as
// "7KQ2-M9XD". Throws base::SystemError.
[[nodiscard]] std::string make_code();

// Compares in constant time, so that an attacker cannot find the secret character by character. The
// length of the secret is public.
[[nodiscard]] bool is_same_secret(std::string_view guess, std::string_view secret);

}  // namespace fathom::web
