// Tests of format_duration() and the clocks.

#include "fathom/base/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>

namespace fathom::base {
namespace {

using namespace std::chrono_literals;

TEST(DeadlineAfter, AddsAndEndsAtTheEndOfTheClock) {
  using Time = MonotonicClock::time_point;
  const Time time(5s);
  EXPECT_EQ(deadline_after(time, 3ms), Time(5003ms));
  EXPECT_EQ(deadline_after(time, 0ns), time);
  EXPECT_EQ(deadline_after(time, -1h), time);
  EXPECT_EQ(deadline_after(time, std::chrono::nanoseconds::min()), time);
  EXPECT_EQ(deadline_after(time, Time::max() - time), Time::max());
  EXPECT_EQ(deadline_after(time, std::chrono::nanoseconds::max()), Time::max());
  EXPECT_EQ(deadline_after(time, std::chrono::hours::max()), Time::max());
  EXPECT_EQ(deadline_after(Time::max(), 1ns), Time::max());
  EXPECT_EQ(deadline_after(Time(-5s), 3s), Time(-2s));
  EXPECT_EQ(deadline_after(std::chrono::nanoseconds(7), 3ns), 10ns);
}

template <class Rep, class Period>
using Duration = std::chrono::duration<Rep, Period>;

TEST(DeadlineAfter, TakesDurationsOfAnyIntegerType) {
  using Time = MonotonicClock::time_point;
  const Time time(5s);
  EXPECT_EQ(deadline_after(time, Duration<int, std::micro>(5)), time + 5us);
  EXPECT_EQ(deadline_after(time, Duration<short, std::nano>(-5)), time);
  EXPECT_EQ(deadline_after(time, Duration<unsigned, std::milli>(4'000'000'000)), time + 4'000'000s);
  EXPECT_EQ(deadline_after(Time(-5s), Duration<std::uint64_t, std::milli>(3000)), Time(-2s));
  EXPECT_EQ(deadline_after(time, Duration<std::uint64_t, std::nano>::max()), Time::max());
  EXPECT_EQ(deadline_after(time, Duration<int, std::ratio<86400 * 365>>(293)), Time::max());
  EXPECT_EQ(deadline_after(time, Duration<int, std::ratio<86400 * 365>>(292)),
            time + std::chrono::hours(292 * 365 * 24));
}

TEST(WholeSeconds, AreRoundedDownAlsoBefore1970) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(whole_seconds(0), 0);
  EXPECT_EQ(whole_seconds(1'999'999'999), 1);
  EXPECT_EQ(whole_seconds(2'000'000'000), 2);
  EXPECT_EQ(whole_seconds(-1), -1);
  EXPECT_EQ(whole_seconds(-1'000'000'000), -1);
  EXPECT_EQ(whole_seconds(-1'000'000'001), -2);
  EXPECT_EQ(whole_seconds(kLast), 9'223'372'036);
  EXPECT_EQ(whole_seconds(-kLast - 1), -9'223'372'037);
}

TEST(ToNanoseconds, KeepsTheOrderOfTimesThatDoNotFit) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(to_nanoseconds(0), 0);
  EXPECT_EQ(to_nanoseconds(1, 999'999'999), 1'999'999'999);
  EXPECT_EQ(to_nanoseconds(-2, 500'000'000), -1'500'000'000);
  EXPECT_EQ(to_nanoseconds(9'223'372'036, 854'775'807), kLast);
  EXPECT_EQ(to_nanoseconds(9'223'372'036, 854'775'808), kLast);
  EXPECT_EQ(to_nanoseconds(9'223'372'037), kLast);
  EXPECT_EQ(to_nanoseconds(kLast, 999'999'999), kLast);
  EXPECT_EQ(to_nanoseconds(-9'223'372'037), -kLast - 1);
  EXPECT_EQ(to_nanoseconds(-kLast - 1), -kLast - 1);
}

TEST(FormatDuration, ChoosesTheUnitThatMatters) {
  EXPECT_EQ(format_duration(0ns), "0 ns");
  EXPECT_EQ(format_duration(999ns), "999 ns");
  EXPECT_EQ(format_duration(1us), "1 us");
  EXPECT_EQ(format_duration(850us), "850 us");
  EXPECT_EQ(format_duration(1ms), "1 ms");
  EXPECT_EQ(format_duration(850ms), "850 ms");
  EXPECT_EQ(format_duration(1s), "1.00 s");
  EXPECT_EQ(format_duration(3420ms), "3.42 s");
  EXPECT_EQ(format_duration(59990ms), "59.99 s");
  EXPECT_EQ(format_duration(1min), "1 m 00 s");
  EXPECT_EQ(format_duration(125s), "2 m 05 s");
  EXPECT_EQ(format_duration(59min + 59s), "59 m 59 s");
  EXPECT_EQ(format_duration(1h), "1 h 00 m");
  EXPECT_EQ(format_duration(1h + 2min), "1 h 02 m");
  EXPECT_EQ(format_duration(23h + 59min), "23 h 59 m");
  EXPECT_EQ(format_duration(24h), "1 d 00 h");
  EXPECT_EQ(format_duration(76h), "3 d 04 h");
}

TEST(FormatDuration, RoundsHalvesUp) {
  EXPECT_EQ(format_duration(1499ns), "1 us");
  EXPECT_EQ(format_duration(1500ns), "2 us");
  EXPECT_EQ(format_duration(3424999us), "3.42 s");
  EXPECT_EQ(format_duration(3425ms), "3.43 s");
  EXPECT_EQ(format_duration(125499ms), "2 m 05 s");
  EXPECT_EQ(format_duration(125500ms), "2 m 06 s");
}

TEST(FormatDuration, UsesTheNextUnitWhenRoundingReachesIt) {
  EXPECT_EQ(format_duration(999499ns), "999 us");
  EXPECT_EQ(format_duration(999500ns), "1 ms");
  EXPECT_EQ(format_duration(999499us), "999 ms");
  EXPECT_EQ(format_duration(999500us), "1.00 s");
  EXPECT_EQ(format_duration(59994ms), "59.99 s");
  EXPECT_EQ(format_duration(59995ms), "1 m 00 s");
  EXPECT_EQ(format_duration(1h - 501ms), "59 m 59 s");
  EXPECT_EQ(format_duration(1h - 500ms), "1 h 00 m");
  EXPECT_EQ(format_duration(24h - 31s), "23 h 59 m");
  EXPECT_EQ(format_duration(24h - 30s), "1 d 00 h");
}

TEST(FormatDuration, WorksAtBothEndsOfTheRange) {
  EXPECT_EQ(format_duration(std::chrono::nanoseconds::max()), "106752 d 00 h");  // 292 years
  EXPECT_EQ(format_duration(std::chrono::nanoseconds::min()), "0 ns");
  EXPECT_EQ(format_duration(-1ns), "0 ns");
}

TEST(MonotonicNow, NeverGoesBack) {
  auto last = monotonic_now();
  for (int i = 0; i < 1000; ++i) {
    const auto now = monotonic_now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(WallNow, CountsSecondsSinceTheEpoch) {
  EXPECT_GT(wall_now(), 1'700'000'000);      // 2023
  EXPECT_LT(wall_now(), 1'700'000'000'000);  // would be milliseconds
}

TEST(Stopwatch, KeepsRunningWhenRead) {
  Stopwatch watch;
  const auto first = watch.elapsed();
  EXPECT_GE(first, 0ns);
  EXPECT_GE(watch.elapsed(), first);
  EXPECT_GE(watch.seconds(), 0.0);
}

}  // namespace
}  // namespace fathom::base
