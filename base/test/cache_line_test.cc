// Tests that kCacheLine separates neighbouring members.

#include "fathom/base/cache_line.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace fathom::base {
namespace {

struct Counters {
  alignas(kCacheLine) int ours = 0;
  alignas(kCacheLine) int theirs = 0;
};

TEST(CacheLine, SeparatesNeighbours) {
  const Counters counters;
  const auto ours = reinterpret_cast<std::uintptr_t>(&counters.ours);
  const auto theirs = reinterpret_cast<std::uintptr_t>(&counters.theirs);
  EXPECT_GE(theirs - ours, kCacheLine);
  EXPECT_EQ(ours % kCacheLine, 0U);
  EXPECT_EQ(sizeof(Counters), 2 * kCacheLine);
}

}  // namespace
}  // namespace fathom::base
