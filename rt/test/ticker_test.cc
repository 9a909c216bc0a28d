// Tests of the tickers with clocks and counters that the tests control.

#include "fathom/rt/ticker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "fathom/base/error.h"

namespace fathom::rt {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// A clock that the test sets.
struct World {
  nanoseconds time{1'000'000'007};
  std::uint64_t ticks = 123'456'789;
  std::uint64_t looks = 0;  // reads of the clock

  void pass(nanoseconds duration, double rate = 3) {
    time += duration;
    ticks += static_cast<std::uint64_t>(rate * static_cast<double>(duration.count()));
  }
};

struct FakeClock {
  World* world;
  nanoseconds now() const {
    ++world->looks;
    return world->time;
  }
};

struct FakeCounter : FakeClock {
  std::uint64_t ticks() const { return world->ticks; }
};

// Advances only in multiples of its resolution.
struct FakeCoarseClock : FakeClock {
  nanoseconds now() const {
    const nanoseconds exact = FakeClock::now();
    return exact - exact % milliseconds(4);
  }
};

using FakeTicker = BasicTicker<FakeClock>;
using FakeTscTicker = CountingTicker<FakeCounter>;

static_assert(Ticker<ClockTicker> && ClockedTicker<ClockTicker>);
static_assert(Ticker<CoarseTicker> && ClockedTicker<CoarseTicker>);
static_assert(Ticker<TscTicker> && !ClockedTicker<TscTicker>);
static_assert(Ticker<BatchedTicker<CoarseTicker>>);

TEST(ClockTicker, TicksOncePerDueTime) {
  World world;
  FakeTicker ticker(nanoseconds(10), FakeClock{&world});
  EXPECT_FALSE(ticker.tick());
  world.pass(nanoseconds(9));
  EXPECT_FALSE(ticker.tick());
  world.pass(nanoseconds(1));
  EXPECT_TRUE(ticker.tick());
  EXPECT_FALSE(ticker.tick());
  world.pass(nanoseconds(10));
  EXPECT_TRUE(ticker.tick());
  EXPECT_EQ(ticker.missed(), 0U);
}

TEST(ClockTicker, DoesNotDriftOverManyPeriods) {
  World world;
  const nanoseconds start = world.time;
  constexpr nanoseconds kPeriod{1000};
  constexpr std::int64_t kPeriods = 200'000;
  FakeTicker ticker(kPeriod, FakeClock{&world});
  std::int64_t ticked = 0;
  while (ticked < kPeriods) {
    world.pass(nanoseconds(37));  // each tick is somewhat late
    if (!ticker.tick()) continue;
    ++ticked;
    const nanoseconds late = world.time - (start + ticked * kPeriod);
    ASSERT_GE(late.count(), 0);
    ASSERT_LT(late.count(), 37);
  }
  EXPECT_EQ(ticker.missed(), 0U);
}

TEST(ClockTicker, CountsMissedTicksAndStaysOnTheGrid) {
  World world;
  FakeTicker ticker(nanoseconds(10), FakeClock{&world});
  world.pass(nanoseconds(35));  // 10, 20 and 30 were due
  EXPECT_TRUE(ticker.tick());
  EXPECT_EQ(ticker.missed(), 2U);
  EXPECT_FALSE(ticker.tick());
  world.pass(nanoseconds(4));
  EXPECT_FALSE(ticker.tick());
  world.pass(nanoseconds(1));
  EXPECT_TRUE(ticker.tick());  // 40, not 45
  EXPECT_EQ(ticker.missed(), 2U);
}

TEST(ClockTicker, WaitsForAClockThatWentBack) {
  World world;
  FakeTicker ticker(nanoseconds(10), FakeClock{&world});
  world.time -= seconds(1);
  EXPECT_FALSE(ticker.tick());
  world.time += seconds(1) + nanoseconds(10);
  EXPECT_TRUE(ticker.tick());
  EXPECT_EQ(ticker.missed(), 0U);
}

template <class Make>
void expect_refused(Make make, const std::string& part) {
  try {
    make();
    ADD_FAILURE() << "was made";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Tickers, RefuseAPeriodThatIsNotPositive) {
  World world;
  for (const nanoseconds period : {nanoseconds(0), nanoseconds(-1), nanoseconds::min()}) {
    const std::string said = "must be positive, not " + std::to_string(period.count()) + " ns";
    expect_refused([&] { ClockTicker ticker(period); }, said);
    expect_refused([&] { CoarseTicker ticker(period); }, said);
    expect_refused([&] { BatchedTicker<ClockTicker> ticker(0.1, period); }, said);
    expect_refused([&] { FakeTscTicker ticker(period, FakeCounter{{&world}}); }, said);
  }
}

TEST(Tickers, WithAHugePeriodTickOnceItHasPassed) {
  World world;
  world.time = nanoseconds(1);
  FakeTicker ticker(nanoseconds::max() - nanoseconds(1), FakeClock{&world});  // due at the end
  FakeTicker never(nanoseconds::max(), FakeClock{&world});
  FakeTscTicker counting(hours(24 * 365 * 200), FakeCounter{{&world}});
  EXPECT_FALSE(ticker.tick());
  EXPECT_FALSE(never.tick());
  EXPECT_FALSE(counting.tick());
  world.pass(hours(24 * 365 * 200) - seconds(1), 0.5);
  EXPECT_FALSE(ticker.tick());
  EXPECT_FALSE(counting.tick());
  world.pass(seconds(3));
  EXPECT_TRUE(counting.tick());
  EXPECT_FALSE(counting.tick());
  world.time = nanoseconds::max();
  EXPECT_FALSE(ticker.tick());
  EXPECT_FALSE(never.tick());
}

TEST(TickGrid, CoversTheWholeRangeOfTime) {
  TickGrid grid(nanoseconds::min(), nanoseconds(1));
  EXPECT_TRUE(grid.due(nanoseconds::max() - nanoseconds(1)));
  EXPECT_EQ(grid.missed(), std::numeric_limits<std::uint64_t>::max() - 2);
  EXPECT_EQ(grid.next(), nanoseconds::max());
  EXPECT_FALSE(grid.due(nanoseconds::max()));
}

TEST(CoarseTicker, TicksWithTheRealClock) {
  CoarseTicker ticker(milliseconds(1));
  while (!ticker.tick()) {  // ends as soon as the clock moves
  }
  EXPECT_EQ(ticker.period(), milliseconds(1));
}

// ---- BatchedTicker

TEST(BatchedTicker, RefusesAnInvalidLateness) {
  for (const double lateness : {0.0, -1.0, 1.001, std::nan("")}) {
    expect_refused([&] { BatchedTicker<ClockTicker> ticker(lateness, seconds(1)); }, "late by");
  }
}

// Calls the ticker for some time at an even pace; checks that no tick is early, or later than
// allowed.
template <class Inner>
void run(BatchedTicker<Inner>& ticker, World& world, nanoseconds start, nanoseconds duration,
         nanoseconds per_call, nanoseconds allowed) {
  const nanoseconds end = world.time + duration;
  while (world.time < end) {
    world.pass(per_call);
    const std::uint64_t missed = ticker.missed();
    if (!ticker.tick()) continue;
    ASSERT_EQ(ticker.missed(), missed);
    const nanoseconds late = (world.time - start) % ticker.period();
    ASSERT_LE(late, allowed);
  }
}

TEST(BatchedTicker, ReadsTheClockSeldomAndIsStillPunctual) {
  World world;
  const nanoseconds start = world.time;
  BatchedTicker<FakeTicker> ticker(0.01, milliseconds(10), FakeClock{&world});
  run(ticker, world, start, seconds(1), nanoseconds(100), microseconds(100));
  EXPECT_EQ(ticker.missed(), 0U);
  EXPECT_EQ(ticker.batch(), 500U);      // half of 100 us, at 100 ns
  EXPECT_LT(world.looks, 20'000 + 20);  // of 10 million calls
}

TEST(BatchedTicker, AdaptsToALoopThatBecomesSlowerAndFaster) {
  World world;
  const nanoseconds start = world.time;
  BatchedTicker<FakeTicker> ticker(0.1, milliseconds(1), FakeClock{&world});
  const auto run_at = [&](int per_call) {
    run(ticker, world, start, milliseconds(20), nanoseconds(per_call), microseconds(100));
  };
  run_at(10);
  EXPECT_EQ(ticker.batch(), 5000U);
  for (int per_call = 20; per_call < 50'000; per_call *= 2) run_at(per_call);
  EXPECT_EQ(ticker.batch(), 1U);
  run_at(10);
  EXPECT_EQ(ticker.batch(), 5000U);
}

TEST(BatchedTicker, IsLateOnlyOnceWhenALoopIsSuddenlySlow) {
  World world;
  BatchedTicker<FakeTicker> ticker(0.1, milliseconds(1), FakeClock{&world});
  while (ticker.batch() < 5000) {
    world.pass(nanoseconds(10));
    ticker.tick();
  }
  std::uint32_t calls = 0;
  do {
    world.pass(milliseconds(1));
    ++calls;
  } while (!ticker.tick());
  EXPECT_LE(calls, 5000U);
  EXPECT_EQ(ticker.batch(), 1U);
  EXPECT_GE(ticker.missed(), calls - 2);
  for (int i = 0; i < 100; ++i) {
    world.pass(milliseconds(1));
    EXPECT_TRUE(ticker.tick());
  }
}

TEST(BatchedTicker, GrowsByDoublingUpToItsLimit) {
  World world;
  BatchedTicker<FakeTicker> ticker(1, hours(1), FakeClock{&world});
  std::uint32_t last = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    world.pass(nanoseconds(1));
    ticker.tick();
    ASSERT_LE(ticker.batch(), 2 * last);
    last = ticker.batch();
  }
  EXPECT_EQ(last, BatchedTicker<FakeTicker>::kLargestBatch);
}

TEST(BatchedTicker, WorksWithAClockThatStandsStill) {
  World world;
  const nanoseconds start = world.time - world.time % milliseconds(4);
  BatchedTicker<BasicTicker<FakeCoarseClock>> ticker(0.01, milliseconds(100),
                                                     FakeCoarseClock{{&world}});
  run(ticker, world, start, seconds(2), nanoseconds(200), milliseconds(1 + 4 * 4));
  EXPECT_LT(world.looks, 200'000U);
}

TEST(BatchedTicker, RestartsWhenTheClockWentBack) {
  World world;
  BatchedTicker<FakeTicker> ticker(0.1, milliseconds(1), FakeClock{&world});
  while (ticker.batch() < 5000) {
    world.pass(nanoseconds(10));
    ticker.tick();
  }
  world.time -= seconds(1);
  for (int i = 0; i < 5000; ++i) EXPECT_FALSE(ticker.tick());
  EXPECT_EQ(ticker.batch(), 1U);
}

// ---- CountingTicker

// Calls a ticker for some time, and checks each tick against the grid.
class CountedRun {
 public:
  explicit CountedRun(nanoseconds period)
      : ticker_(period, FakeCounter{{&world}}), next_(world.time + period) {}

  void run(nanoseconds duration, double rate, nanoseconds allowed) {
    constexpr nanoseconds kPerCall{100};
    const nanoseconds end = world.time + duration;
    while (world.time < end) {
      world.pass(kPerCall, rate);
      if (ticker_.tick()) {
        ASSERT_GE(world.time, next_);  // never early
        next_ += ticker_.period();
      }
      ASSERT_LE(world.time - next_, allowed + kPerCall);
    }
    EXPECT_EQ(ticker_.missed(), 0U);
  }

  const FakeTscTicker& ticker() const { return ticker_; }

  World world;

 private:
  FakeTscTicker ticker_;
  nanoseconds next_;
};

TEST(TscTicker, DoesNotDriftAndSeldomReadsTheClock) {
  CountedRun counted(milliseconds(10));
  counted.run(seconds(1), 3, microseconds(2));
  EXPECT_EQ(counted.ticker().recalibrations(), 0U);
  EXPECT_LT(counted.world.looks, 100U * 20U);  // of 10 million calls
}

TEST(TscTicker, SupportsShortPeriods) {
  CountedRun counted(microseconds(5));
  counted.run(milliseconds(20), 3, microseconds(2));
}

TEST(TscTicker, FollowsAFrequencyThatDiffersFromTheMeasuredOne) {
  CountedRun counted(milliseconds(10));
  for (const double rate : {3.0, 3.3, 2.9, 1.6, 3.0, 2.0}) {
    counted.run(milliseconds(50), rate, FakeTscTicker::kLastStretch);
  }
  EXPECT_EQ(counted.ticker().recalibrations(), 0U);
}

TEST(TscTicker, RecalibratesWhenTheFrequencyChanges) {
  CountedRun counted(milliseconds(10));
  counted.run(milliseconds(55), 1, FakeTscTicker::kLastStretch);
  counted.run(milliseconds(50), 10, FakeTscTicker::kLastStretch);
  EXPECT_GE(counted.ticker().recalibrations(), 1U);
}

TEST(TscTicker, IsNeitherEarlyNorStallsWhenTheCounterStepsBack) {
  for (const std::uint64_t back : {1ULL, 1000ULL, 1'000'000ULL, 10'000'000ULL, 100'000'000ULL}) {
    CountedRun counted(milliseconds(10));
    counted.world.ticks = 1'000'000'000;
    for (int round = 0; round < 20; ++round) {
      counted.run(milliseconds(9) + microseconds(300), 3, FakeTscTicker::kLastStretch);
      counted.world.ticks -= back;
    }
  }
}

TEST(TscTicker, WorksIfTheThreadMigratesBetweenCounters) {
  CountedRun counted(milliseconds(1));
  counted.world.ticks = 1U << 30U;
  for (int round = 0; round < 500; ++round) {
    // Further than a whole period.
    counted.run(microseconds(70), 3, FakeTscTicker::kLastStretch);
    constexpr std::uint64_t kOffset = 5'000'000;
    counted.world.ticks += round % 2 == 0 ? kOffset : 0 - kOffset;
  }
}

TEST(TscTicker, IgnoresAJumpAtTheBeginning) {
  CountedRun counted(milliseconds(10));
  counted.world.ticks += 1ULL << 50U;
  counted.run(milliseconds(100), 3, FakeTscTicker::kLastStretch);
}

TEST(TscTicker, ReadsTheClockEvenWhenTheCounterStandsStill) {
  World world;
  FakeTscTicker ticker(milliseconds(1), FakeCounter{{&world}});
  world.time += milliseconds(1);
  std::uint32_t calls = 1;
  while (!ticker.tick()) ++calls;
  EXPECT_LE(calls, FakeTscTicker::kMostCalls);
}

TEST(TscTicker, WorksWithACounterThatWraps) {
  CountedRun counted(milliseconds(10));
  counted.world.ticks = std::numeric_limits<std::uint64_t>::max() - 60'000'000;
  counted.run(milliseconds(100), 3, FakeTscTicker::kLastStretch);
}

TEST(TscTicker, WorksWithTheRealCounterOrReportsThatThereIsNone) {
  if (!TscTicker::available()) {
    expect_refused([] { TscTicker ticker(seconds(1)); }, "no invariant time-stamp counter");
    GTEST_SKIP() << "this processor has no invariant time-stamp counter";
  }
  const auto before = base::monotonic_now();
  TscTicker ticker(milliseconds(1));
  for (int ticked = 0; ticked < 5;) ticked += static_cast<int>(ticker.tick());
  EXPECT_GE(base::monotonic_now() - before, milliseconds(5));
}

}  // namespace
}  // namespace fathom::rt
