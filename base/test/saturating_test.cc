#include "fathom/base/saturating.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace fathom::base {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

static_assert(saturating_add(1, 2) == 3, "usable in constant expressions");
static_assert(saturating_mul(3, 4) == 12, "usable in constant expressions");

TEST(SaturatingAdd, IsExactUpToTheLargestValue) {
  EXPECT_EQ(saturating_add(0, 0), 0U);
  EXPECT_EQ(saturating_add(kMax, 0), kMax);
  EXPECT_EQ(saturating_add(kMax - 1, 1), kMax);
  EXPECT_EQ(saturating_add(kMax / 2, kMax / 2 + 1), kMax);
}

TEST(SaturatingAdd, StaysAtTheLargestValue) {
  EXPECT_EQ(saturating_add(kMax, 1), kMax);
  EXPECT_EQ(saturating_add(1, kMax), kMax);
  EXPECT_EQ(saturating_add(kMax, kMax), kMax);
}

TEST(SaturatingMul, IsExactUpToTheLargestValue) {
  EXPECT_EQ(saturating_mul(0, kMax), 0U);
  EXPECT_EQ(saturating_mul(kMax, 0), 0U);
  EXPECT_EQ(saturating_mul(kMax, 1), kMax);
  EXPECT_EQ(saturating_mul(kMax / 3, 3), kMax);  // 3 divides 2^64 - 1
  EXPECT_EQ(saturating_mul(1ULL << 32, 1ULL << 31), 1ULL << 63);
}

TEST(SaturatingMul, StaysAtTheLargestValue) {
  EXPECT_EQ(saturating_mul(1ULL << 32, 1ULL << 32), kMax);
  EXPECT_EQ(saturating_mul(kMax, 2), kMax);
  EXPECT_EQ(saturating_mul(kMax, kMax), kMax);
}

}  // namespace
}  // namespace fathom::base
