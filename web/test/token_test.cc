// Tests of Token: its length, its alphabet, and that tokens differ.

#include "access/token.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace fathom::web {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Decodes base64url without padding. `rest` has the bits that do not fill a byte.
struct Decoded {
  std::string bytes;
  unsigned rest = 0;
};
Decoded decoded(std::string_view text) {
  Decoded decoded;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char digit : text) {
    bits = (bits << 6 | static_cast<unsigned>(kDigits.find(digit))) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    decoded.bytes += static_cast<char>(bits >> count & 0xff);
  }
  decoded.rest = bits & ((1U << count) - 1);
  return decoded;
}

TEST(Token, IsThirtyTwoBytesOfUrlSafeText) {
  for (int i = 0; i < 100; ++i) {
    const std::string token = make_token();
    ASSERT_EQ(token.size(), 43U);
    ASSERT_EQ(token.find_first_not_of(kDigits), std::string::npos) << token;
    const Decoded back = decoded(token);
    EXPECT_EQ(back.bytes.size(), 32U);
    EXPECT_EQ(back.rest, 0U);
  }
}

// A collision by chance is expected only after 2^128 tokens.
TEST(Token, IsNeverRepeated) {
  std::set<std::string> tokens;
  for (int i = 0; i < 1000; ++i) tokens.insert(make_token());
  EXPECT_EQ(tokens.size(), 1000U);
}

// A bit has the same value in 400 tokens by chance once in 2^391 runs of this test.
TEST(Token, VariesEveryBit) {
  std::string ones(32, '\0');
  std::string zeros(32, '\0');
  for (int i = 0; i < 400; ++i) {
    const std::string bytes = decoded(make_token()).bytes;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      ones[at] = static_cast<char>(ones[at] | bytes[at]);
      zeros[at] = static_cast<char>(zeros[at] | ~bytes[at]);
    }
  }
  EXPECT_EQ(ones, std::string(32, '\xff'));
  EXPECT_EQ(zeros, std::string(32, '\xff'));
}

TEST(Token, EqualsOnlyTheSameText) {
  using namespace std::string_view_literals;
  const std::string secret = make_token();
  EXPECT_TRUE(is_same_secret(std::string(secret), secret));
  for (std::size_t at = 0; at < secret.size(); ++at) {
    for (const int bit : {1, 0x20, 0x80}) {
      std::string guess = secret;
      guess[at] = static_cast<char>(guess[at] ^ bit);
      EXPECT_FALSE(is_same_secret(guess, secret)) << at;
    }
    EXPECT_FALSE(is_same_secret(secret.substr(0, at), secret));
  }
  EXPECT_FALSE(is_same_secret(secret + "A", secret));
  EXPECT_FALSE(is_same_secret(secret + '\0', secret));
  EXPECT_FALSE(is_same_secret("", secret));
  // Differences that would cancel out in an XOR.
  EXPECT_FALSE(is_same_secret("ba", "ab"));
  EXPECT_FALSE(is_same_secret("\1\1"sv, "\0\0"sv));
}

}  // namespace
}  // namespace fathom::web
