// Tests of format_bytes() and parse_bytes(), including exhaustive round trips near unit boundaries.

#include "fathom/base/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace fathom::base {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::uint64_t power(std::uint64_t base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

const std::array<std::string, 7> kIec = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
const std::array<std::string, 7> kSi = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

TEST(FormatBytes, WritesPlainBytesWithoutADecimal) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1), "1 B");
  EXPECT_EQ(format_bytes(9), "9 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(999, Units::si), "999 B");
}

TEST(FormatBytes, GivesOneDecimalBelowTenUnitsAndNoneAbove) {
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(10137), "9.9 KiB");
  EXPECT_EQ(format_bytes(10240), "10 KiB");
  EXPECT_EQ(format_bytes(100 * 1024), "100 KiB");
  EXPECT_EQ(format_bytes(1023 * 1024), "1023 KiB");
}

TEST(FormatBytes, NeverWritesTenPointZero) {
  EXPECT_EQ(format_bytes(10188), "9.9 KiB");  // 9.9492...
  EXPECT_EQ(format_bytes(10189), "10 KiB");   // 9.9501...
  EXPECT_EQ(format_bytes(9'949, Units::si), "9.9 kB");
  EXPECT_EQ(format_bytes(9'950, Units::si), "10 kB");
}

TEST(FormatBytes, RoundsHalvesUp) {
  EXPECT_EQ(format_bytes(1'049, Units::si), "1.0 kB");
  EXPECT_EQ(format_bytes(1'050, Units::si), "1.1 kB");
  EXPECT_EQ(format_bytes(10'499, Units::si), "10 kB");
  EXPECT_EQ(format_bytes(10'500, Units::si), "11 kB");
  EXPECT_EQ(format_bytes(10 * 1024 + 511), "10 KiB");
  EXPECT_EQ(format_bytes(10 * 1024 + 512), "11 KiB");
}

TEST(FormatBytes, RoundsOnceAndNotTwice) {
  EXPECT_EQ(format_bytes(10'449, Units::si), "10 kB");      // not 10.45 -> 10.5 -> 11
  EXPECT_EQ(format_bytes(1'049'999, Units::si), "1.0 MB");  // not 1.05 -> 1.1
}

TEST(FormatBytes, UsesTheNextUnitWhenRoundingReachesIt) {
  for (int i = 1; i < 6; ++i) {
    const auto up = static_cast<std::size_t>(i);
    const std::uint64_t kib = power(1024, i);
    EXPECT_EQ(format_bytes(1023 * kib + kib / 2 - 1), "1023 " + kIec[up]);
    EXPECT_EQ(format_bytes(1023 * kib + kib / 2), "1.0 " + kIec[up + 1]);
    EXPECT_EQ(format_bytes(1024 * kib - 1), "1.0 " + kIec[up + 1]);
    const std::uint64_t kb = power(1000, i);
    EXPECT_EQ(format_bytes(999 * kb + kb / 2 - 1, Units::si), "999 " + kSi[up]);
    EXPECT_EQ(format_bytes(999 * kb + kb / 2, Units::si), "1.0 " + kSi[up + 1]);
    EXPECT_EQ(format_bytes(1000 * kb - 1, Units::si), "1.0 " + kSi[up + 1]);
  }
}

TEST(FormatBytes, StartsEachUnitAtOne) {
  for (int i = 1; i <= 6; ++i) {
    const auto unit = static_cast<std::size_t>(i);
    EXPECT_EQ(format_bytes(power(1024, i)), "1.0 " + kIec[unit]);
    EXPECT_EQ(format_bytes(power(1000, i), Units::si), "1.0 " + kSi[unit]);
  }
}

TEST(FormatBytes, ReachesTheLargestAmount) {
  EXPECT_EQ(format_bytes(kMax), "16 EiB");
  EXPECT_EQ(format_bytes(kMax, Units::si), "18 EB");
  EXPECT_EQ(format_bytes(kMax, Units::raw), "18446744073709551615");
}

TEST(FormatBytes, WritesRawAmountsAsTheyAre) {
  EXPECT_EQ(format_bytes(0, Units::raw), "0");
  EXPECT_EQ(format_bytes(1024, Units::raw), "1024");
}

TEST(FormatBytes, IsShortAndWithinTheRoundingError) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bytes = random() >> (random() % 64);
    for (const Units units : {Units::iec, Units::si}) {
      const std::string text = format_bytes(bytes, units);
      ASSERT_LE(text.size(), 8U) << bytes;
      const auto back = parse_bytes(text);
      if (!back) {  // 2^64 - 1 reads "16 EiB", one more than 64 bits can hold
        ASSERT_GT(bytes, kMax / 32 * 31) << text;
        continue;
      }
      const std::uint64_t off = *back > bytes ? *back - bytes : bytes - *back;
      ASSERT_LE(off, bytes / 19) << text;  // at worst half a unit of ten and a half
    }
  }
}

TEST(ParseBytes, ReadsPlainBytes) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("10"), 10U);
  EXPECT_EQ(parse_bytes("10B"), 10U);
  EXPECT_EQ(parse_bytes("10 b"), 10U);
  EXPECT_EQ(parse_bytes("000000000000000000000000000000010"), 10U);
}

TEST(ParseBytes, ReadsALetterAsAPowerOf1024AndALetterWithBAsAPowerOf1000) {
  const std::string letters = "KMGTPE";
  for (int i = 1; i <= 6; ++i) {
    const std::string unit(1, letters[static_cast<std::size_t>(i - 1)]);
    for (const char* suffix : {"", "i", "I", "iB", "ib", "IB"}) {
      EXPECT_EQ(parse_bytes("3" + unit + suffix), 3 * power(1024, i)) << unit << suffix;
    }
    EXPECT_EQ(parse_bytes("3" + unit + "B"), 3 * power(1000, i));
  }
}

TEST(ParseBytes, IgnoresCaseAndOneSpace) {
  EXPECT_EQ(parse_bytes("2kib"), 2048U);
  EXPECT_EQ(parse_bytes("2 KiB"), 2048U);
  EXPECT_EQ(parse_bytes("2 mb"), 2'000'000U);
  EXPECT_EQ(parse_bytes("2 G"), 2'147'483'648U);
}

TEST(ParseBytes, ReadsFractionsExactly) {
  EXPECT_EQ(parse_bytes("1.5K"), 1536U);
  EXPECT_EQ(parse_bytes("1.5KB"), 1500U);
  EXPECT_EQ(parse_bytes("0.1EB"), 100'000'000'000'000'000U);
  EXPECT_EQ(parse_bytes("1.000000000000000001EB"), 1'000'000'000'000'000'001U);  // lost in a double
  EXPECT_EQ(parse_bytes("15.999999999999999999E"), kMax - 1);  // 18446744073709551614.8...
}

TEST(ParseBytes, DropsFractionsOfAByte) {
  EXPECT_EQ(parse_bytes("1.9"), 1U);
  EXPECT_EQ(parse_bytes("1.999B"), 1U);
  EXPECT_EQ(parse_bytes("0.0009K"), 0U);
  EXPECT_EQ(parse_bytes("0.0009765624K"), 0U);
  EXPECT_EQ(parse_bytes("0.0009765625K"), 1U);  // exactly 1/1024
  EXPECT_EQ(parse_bytes("0." + std::string(100'000, '9') + "K"), 1023U);
  EXPECT_EQ(parse_bytes("0.0009765625" + std::string(1'000, '0') + "K"), 1U);
}

TEST(ParseBytes, ReachesTheLargestAmountAndRefusesTheNext) {
  EXPECT_EQ(parse_bytes("18446744073709551615"), kMax);
  EXPECT_EQ(parse_bytes("18446744073709551615.99"), kMax);
  EXPECT_EQ(parse_bytes("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_bytes("99999999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_bytes("15.99E"), 18'435'214'858'663'483'146U);
  EXPECT_EQ(parse_bytes("16E"), std::nullopt);
  EXPECT_EQ(parse_bytes("18.446744073709551615EB"), kMax);
  EXPECT_EQ(parse_bytes("18.4467440737095516159EB"), kMax);
  EXPECT_EQ(parse_bytes("18.446744073709551616EB"), std::nullopt);
  EXPECT_EQ(parse_bytes("18446744073709551615K"), std::nullopt);
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text :
       {"",    " ",    "B",     "K",     ".",    ".5",    "5.",   "5.K",     "-1",
        "+1",  "--1",  " 1",    "1 ",    "1  K", "1K ",   "1\tK", "1.2.3",   "1,5K",
        "1e3", "0x10", "1KK",   "1KBB",  "1Kb1", "1iB",   "1BK",  "1Z",      "1ZB",
        "inf", "nan",  "1 K B", "1Kibi", "ten",  "1'000", "1_0",  "\xd9\xa1"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << '"' << text << '"';
  }
  EXPECT_EQ(parse_bytes(std::string_view("1\0", 2)), std::nullopt);
  EXPECT_EQ(parse_bytes(std::string_view("1K\0", 3)), std::nullopt);
}

TEST(ParseBytes, ReadsBackEveryRawAmount) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t bytes = random() >> (random() % 64);
    ASSERT_EQ(parse_bytes(format_bytes(bytes, Units::raw)), bytes);
  }
  EXPECT_EQ(parse_bytes(format_bytes(kMax, Units::raw)), kMax);
}

TEST(ParseBytes, ReadsOnlyTheViewItWasGiven) {
  const std::string_view text = "12345K";
  EXPECT_EQ(parse_bytes(text.substr(0, 2)), 12U);
}

}  // namespace
}  // namespace fathom::base
