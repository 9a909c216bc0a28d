// Tests of gzip: round trips, damaged input, and content negotiation.

#include "http/gzip.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "fathom/base/error.h"

namespace fathom::web {
namespace {

std::string random_bytes(std::size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(Gzip, SurvivesTheRoundTrip) {
  for (const std::size_t size : {0, 1, 2, 3, 100, 1023, 1024, 16'383, 16'384, 16'385, 70'000}) {
    for (const std::string& text : {std::string(size, 'a'), random_bytes(size)}) {
      EXPECT_EQ(gunzip(gzip(text)), text) << size;
    }
  }
  const std::string large = random_bytes(std::size_t{3} << 20);
  EXPECT_EQ(gunzip(gzip(large)), large);
}

TEST(Gzip, CompressesRepeatedText) {
  EXPECT_LT(gzip(std::string(100'000, 'a')).size(), 1000U);
  EXPECT_LT(gzip(random_bytes(100'000)).size(), 101'000U);
}

TEST(Gzip, BeginsWithTheMagicNumber) {
  EXPECT_TRUE(gzip("text").starts_with("\x1f\x8b\x08"));  // RFC 1952, 2.3
}

TEST(Gunzip, RefusesTruncatedInput) {
  const std::string bytes = gzip("a text that is not long, but long enough; " + random_bytes(100));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW((void)gunzip(std::string_view(bytes).substr(0, size)), base::Error) << size;
  }
}

TEST(Gunzip, RefusesTrailingBytes) {
  EXPECT_THROW((void)gunzip(gzip("text") + "x"), base::Error);
}

// Checksums protect content and length. Some bits of the format are not significant: the time and
// system in the head, and the padding before a stored block.
TEST(Gunzip, NeverReturnsOtherDataForDamagedInput) {
  constexpr std::size_t kHead = 10;
  const std::string text = random_bytes(200) + std::string(200, 'a');
  const std::string bytes = gzip(text);
  std::size_t refused = 0;
  for (std::size_t at = kHead; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    try {
      EXPECT_EQ(gunzip(damaged), text) << at;
    } catch (const base::Error&) {
      ++refused;
    }
  }
  EXPECT_GE(refused + 1, bytes.size() - kHead);
}

TEST(Gunzip, RefusesInputThatIsNotGzip) {
  EXPECT_THROW((void)gunzip("no gzip at all, whatever it says"), base::Error);
  EXPECT_THROW((void)gunzip("\x1f\x8b"), base::Error);
  EXPECT_THROW((void)gunzip(""), base::Error);
}

TEST(AcceptsGzip, IfTheClientAcceptsIt) {
  for (const char* text : {"gzip", "*", "br, gzip", "gzip;q=1", "gzip;q=0.001", "gzip ; q=0.5",
                           " gzip ", "deflate,gzip", "identity, *;q=0.1", "gzip;q=1.000",
                           "br;q=1, gzip;q=0.2", "\tgzip\t", "br;q=0, gzip"}) {
    EXPECT_TRUE(accepts_gzip(text)) << text;
  }
}

TEST(AcceptsGzip, NotIfTheClientDoesNot) {
  for (const char* text :
       {"", "br", "identity", "gzip;q=0", "gzip;q=0.0", "gzip; q=0.000", "*;q=0", "gzipped",
        "agzip", "gzip2", ",", ";q=1", "deflate, br", "gzip ;q=0", "gzip;Q=0"}) {
    EXPECT_FALSE(accepts_gzip(text)) << text;
  }
}

// Names of codings are case-insensitive (RFC 9110, 8.4.1).
TEST(AcceptsGzip, IgnoresCase) {
  EXPECT_TRUE(accepts_gzip("GZIP"));
  EXPECT_FALSE(accepts_gzip("Gzip;q=0"));
}

// A named coding takes precedence over the star, in any order (RFC 9110, 12.5.3).
TEST(AcceptsGzip, PrefersTheNameToTheStar) {
  EXPECT_FALSE(accepts_gzip("*, gzip;q=0"));
  EXPECT_TRUE(accepts_gzip("*;q=0, gzip"));
}

}  // namespace
}  // namespace fathom::web
