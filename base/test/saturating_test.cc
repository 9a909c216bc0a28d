// Tests of saturating sums and products at the limits.

#include "fathom/base/saturating.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace fathom::base {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

static_assert(saturating_add(1, 2) == 3, "usable in constant expressions");
static_assert(saturating_mul(3, 4) == 12, "usable in constant expressions");

TEST(SaturatingAdd, IsExactUpToTheLargestValue) {
  EXPECT_EQ(saturating_add(0, 0), 0U);
  EXPECT_EQ(saturating_add(kLargest, 0), kLargest);
  EXPECT_EQ(saturating_add(kLargest - 1, 1), kLargest);
  EXPECT_EQ(saturating_add(kLargest / 2, kLargest / 2 + 1), kLargest);
}

TEST(SaturatingAdd, StaysAtTheLargestValue) {
  EXPECT_EQ(saturating_add(kLargest, 1), kLargest);
  EXPECT_EQ(saturating_add(1, kLargest), kLargest);
  EXPECT_EQ(saturating_add(kLargest, kLargest), kLargest);
}

TEST(SaturatingMul, IsExactUpToTheLargestValue) {
  EXPECT_EQ(saturating_mul(0, kLargest), 0U);
  EXPECT_EQ(saturating_mul(kLargest, 0), 0U);
  EXPECT_EQ(saturating_mul(kLargest, 1), kLargest);
  EXPECT_EQ(saturating_mul(kLargest / 3, 3), kLargest);  // 3 divides 2^64 - 1
  EXPECT_EQ(saturating_mul(1ULL << 32, 1ULL << 31), 1ULL << 63);
}

TEST(SaturatingMul, StaysAtTheLargestValue) {
  EXPECT_EQ(saturating_mul(1ULL << 32, 1ULL << 32), kLargest);
  EXPECT_EQ(saturating_mul(kLargest, 2), kLargest);
  EXPECT_EQ(saturating_mul(kLargest, kLargest), kLargest);
}

TEST(SaturatingAddSigned, StaysAtTheLimits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(saturating_add_signed(-3, 5), 2);
  EXPECT_EQ(saturating_add_signed(kMost, kLeast), -1);
  EXPECT_EQ(saturating_add_signed(kMost, 1), kMost);
  EXPECT_EQ(saturating_add_signed(kLeast, -1), kLeast);
}

TEST(SaturatingDifference, StaysAtTheLimits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(saturating_difference(5, 8), -3);
  EXPECT_EQ(saturating_difference(kLargest, kLargest - 1), 1);
  EXPECT_EQ(saturating_difference(kLargest / 2, 0), kMost);
  EXPECT_EQ(saturating_difference(kLargest, 1), kMost);
  EXPECT_EQ(saturating_difference(0, kLargest / 2 + 1), kLeast);
  EXPECT_EQ(saturating_difference(0, kLargest), kLeast);
}

}  // namespace
}  // namespace fathom::base
