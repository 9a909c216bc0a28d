// Tests of converting counter times to the monotonic clock.

#include "timeline/clock_map.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace fathom::diag {
namespace {

constexpr Recording::State kMonotonic = 2;

TEST(ClockMap, InterpolatesBetweenTheAdjacentReadings) {
  const Ticks start = Recording::ticks(kMonotonic) + 1'000'000'000;
  ClockMap map(kMonotonic);
  map.add(start, 5'000'000'000);
  map.add(start + 1000, 5'000'000'000 + 500);   // two ticks a nanosecond
  map.add(start + 2000, 5'000'000'000 + 1500);  // one
  EXPECT_EQ(map.nanoseconds(start), 5'000'000'000U);
  EXPECT_EQ(map.nanoseconds(start + 500), 5'000'000'250U);
  EXPECT_EQ(map.nanoseconds(start + 1000), 5'000'000'500U);
  EXPECT_EQ(map.nanoseconds(start + 1500), 5'000'001'000U);
}

TEST(ClockMap, ExtrapolatesAfterTheLastReading) {
  const Ticks start = Recording::ticks(kMonotonic) + 1'000'000'000;
  ClockMap map(kMonotonic);
  map.add(start, 1'000'000);
  map.add(start + 1000, 1'000'000 + 250);
  EXPECT_EQ(map.nanoseconds(start + 2000), 1'000'500U);
}

TEST(ClockMap, CountsFromItsFirstReading) {
  const Ticks before = Recording::ticks(kMonotonic);
  ClockMap map(kMonotonic);
  EXPECT_TRUE(map.is_before(before - 1));
  EXPECT_EQ(map.nanoseconds(before - 1), 0U);
  EXPECT_FALSE(map.is_before(Recording::ticks(kMonotonic) + 1));
}

TEST(ClockMap, PreservesTheOrderOfTimes) {
  const Ticks start = Recording::ticks(kMonotonic) + 1'000'000'000;
  ClockMap map(kMonotonic);
  Ticks ticks = start;
  std::uint64_t told = 1'000'000;
  for (std::uint64_t step = 1; step < 200; ++step) {
    map.add(ticks, told);
    ticks += 997 * step % 4096 + 3;
    told += 389 * step % 2048;
  }
  std::uint64_t last = 0;
  for (Ticks at = start; at < ticks + 100; ++at) {
    const std::uint64_t now = map.nanoseconds(at);
    ASSERT_GE(now, last) << at - start;
    last = now;
  }
}

TEST(ClockMap, IgnoresAReadingThatIsNotLaterThanTheLast) {
  const Ticks start = Recording::ticks(kMonotonic) + 1'000'000'000;
  ClockMap map(kMonotonic);
  map.add(start, 1000);
  map.add(start - 1, 9000);
  map.add(start, 9000);
  EXPECT_EQ(map.nanoseconds(start), 1000U);
}

}  // namespace
}  // namespace fathom::diag
