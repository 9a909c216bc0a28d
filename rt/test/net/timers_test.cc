// Timers, with made-up times.

#include "fathom/rt/net/timers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fathom::rt {
namespace {

using std::chrono::nanoseconds;

Timers::Time moment(std::int64_t ns) {
  return Timers::Time(nanoseconds(ns));
}

TEST(Timers, AreCalledInTheOrderOfDeadlinesThenOfSetting) {
  Timers timers;
  std::string calls;
  timers.set(moment(30), [&] { calls += 'd'; });
  timers.set(moment(10), [&] { calls += 'a'; });
  timers.set(moment(20), [&] { calls += 'b'; });
  timers.set(moment(20), [&] { calls += 'c'; });
  EXPECT_EQ(timers.next(), moment(10));
  EXPECT_EQ(timers.run_due(moment(30)), 4U);
  EXPECT_EQ(calls, "abcd");
  EXPECT_EQ(timers.next(), Timers::Time::max());
}

TEST(Timers, AreNeverEarly) {
  Timers timers;
  int calls = 0;
  timers.set(moment(10), [&] { ++calls; });
  EXPECT_EQ(timers.run_due(moment(9)), 0U);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(timers.run_due(moment(10)), 1U);
  EXPECT_EQ(calls, 1);
}

TEST(Timers, WaitIfTimeGoesBack) {
  Timers timers;
  int calls = 0;
  timers.set(moment(100), [&] { ++calls; });
  for (const std::int64_t now : {50, 99, 10, 99}) timers.run_due(moment(now));
  EXPECT_EQ(calls, 0);
  timers.run_due(moment(200));
  EXPECT_EQ(calls, 1);
}

TEST(Timers, AreNotCalledIfCancelled) {
  Timers timers;
  int calls = 0;
  const Timers::Id timer = timers.set(moment(1), [&] { ++calls; });
  EXPECT_TRUE(timers.cancel(timer));
  EXPECT_FALSE(timers.cancel(timer));
  EXPECT_EQ(timers.run_due(moment(1)), 0U);
  EXPECT_EQ(calls, 0);
}

TEST(Timers, DoNotHaveTheIdOfAnEarlierTimer) {
  Timers timers;
  const Timers::Id first = timers.set(moment(1), [] {});
  timers.run_due(moment(1));
  int calls = 0;
  timers.set(moment(2), [&] { ++calls; });
  EXPECT_FALSE(timers.cancel(first));
  EXPECT_FALSE(timers.cancel(Timers::Id()));
  timers.run_due(moment(2));
  EXPECT_EQ(calls, 1);
}

TEST(Timers, R10OneThatCancelsAnotherWithTheSameDeadlineWins) {
  Timers timers;
  std::string calls;
  Timers::Id second;
  timers.set(moment(1), [&] {
    calls += 'a';
    EXPECT_TRUE(timers.cancel(second));
  });
  second = timers.set(moment(1), [&] { calls += 'b'; });
  timers.run_due(moment(1));
  EXPECT_EQ(calls, "a");
}

TEST(Timers, CannotCancelThemselvesWhileTheyAreCalled) {
  Timers timers;
  Timers::Id self;
  self = timers.set(moment(1), [&] { EXPECT_FALSE(timers.cancel(self)); });
  EXPECT_EQ(timers.run_due(moment(1)), 1U);
}

TEST(Timers, SetByATimerAreCalledNextTime) {
  Timers timers;
  int calls = 0;
  std::function<void()> again = [&] {
    ++calls;
    timers.set(moment(0), again);
  };
  timers.set(moment(5), again);
  EXPECT_EQ(timers.run_due(moment(5)), 1U);
  EXPECT_EQ(timers.run_due(moment(5)), 1U);
  EXPECT_EQ(calls, 2);
}

TEST(Timers, OneThatSetsItselfForThePastDoesNotStarveOthers) {
  Timers timers;
  int others = 0;
  std::function<void()> again = [&] { timers.set(moment(-1000), again); };
  timers.set(moment(1), again);
  timers.set(moment(5), [&] { ++others; });
  timers.run_due(moment(2));
  timers.run_due(moment(5));
  EXPECT_EQ(others, 1);
}

TEST(Timers, ClearDestroysAllWithoutACallIncludingThoseSetByDestructors) {
  Timers timers;
  struct SetsAnother {
    explicit SetsAnother(Timers& timers_in) : timers(timers_in) {}
    ~SetsAnother() {
      timers.set(moment(1), [] { ADD_FAILURE() << "called"; });
    }
    Timers& timers;
  };
  timers.set(moment(1), [owned = std::make_shared<SetsAnother>(timers)] { ADD_FAILURE(); });
  timers.clear();
  EXPECT_EQ(timers.size(), 0U);
  EXPECT_EQ(timers.run_due(moment(1)), 0U);
}

TEST(Timers, StaySetIfAnotherThrows) {
  Timers timers;
  int calls = 0;
  timers.set(moment(1), [] { throw std::runtime_error("no"); });
  timers.set(moment(1), [&] { ++calls; });
  EXPECT_THROW(timers.run_due(moment(1)), std::runtime_error);
  EXPECT_EQ(timers.run_due(moment(1)), 1U);
  EXPECT_EQ(calls, 1);
}

// Compares with a sorted map. Few different deadlines, so that many are equal.
TEST(Timers, AgreeWithAnOracle) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    Timers timers;
    using Key = std::pair<std::int64_t, int>;
    std::map<Key, Timers::Id> oracle;
    std::vector<Key> called;
    std::int64_t now = 0;
    int next = 0;
    for (int step = 0; step < 5000; ++step) {
      const auto what = random() % 10;
      if (what < 5) {
        const Key key(now + static_cast<std::int64_t>(random() % 50), next++);
        oracle[key] = timers.set(moment(key.first), [&called, key] { called.push_back(key); });
      } else if (what < 8 && !oracle.empty()) {
        auto victim = oracle.begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(random() % oracle.size()));
        ASSERT_TRUE(timers.cancel(victim->second));
        oracle.erase(victim);
      } else {
        now += static_cast<std::int64_t>(random() % 20);
        called.clear();
        timers.run_due(moment(now));
        std::vector<Key> expected;
        while (!oracle.empty() && oracle.begin()->first.first <= now) {
          expected.push_back(oracle.begin()->first);
          oracle.erase(oracle.begin());
        }
        ASSERT_EQ(called, expected) << "seed " << seed << ", step " << step;
      }
      ASSERT_EQ(timers.size(), oracle.size());
      ASSERT_EQ(timers.next(),
                oracle.empty() ? Timers::Time::max() : moment(oracle.begin()->first.first));
    }
  }
}

}  // namespace
}  // namespace fathom::rt
