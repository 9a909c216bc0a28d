// Tests of the profiled mutex with a manual clock, so that every duration is exact.

#include "fathom/diag/profiled_mutex.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exit_code_of_child.h"
#include "fathom/base/atomic.h"
#include "fathom/base/symbols.h"
#include "fathom/diag/lock_report.h"
#include "fathom/diag/timeline.h"
#include "lock/thread_names.h"
#include "manual_clock.h"

namespace fathom::diag {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Every hold is measured, and each wait is recorded with its stack.
using TestMutex = BasicProfiledMutex<ManualClock, 1, false>;

LockUsage usage_of(const std::string& name) {
  for (LockUsage& usage : lock_report().locks) {
    if (usage.name == name) return std::move(usage);
  }
  ADD_FAILURE() << "no lock is named " << name;
  return {};
}

// Whether the name of a function on the stack contains the text.
bool leads_through(const base::Stack& stack, const std::string& function) {
  const auto frames = base::frames_of(stack);
  return std::any_of(frames.begin(), frames.end(), [&](const base::Frame& frame) {
    return frame.function.find(function) != std::string::npos;
  });
}

template <class Function>
std::thread named_thread(const char* name, Function function) {
  return std::thread([name, function] {
    ::pthread_setname_np(::pthread_self(), name);
    function();
  });
}

// ---- Controlled contention: each step waits for the effect of the previous one.

// Waits until so many threads wait for the mutex.
template <class Mutex>
void wait_for_waiters(const Mutex& mutex, std::uint64_t count) {
  while (mutex.waiting() != count) std::this_thread::yield();
}

[[gnu::noinline]] void hold_long(TestMutex& mutex, std::latch& held, std::uint64_t waiters,
                                 nanoseconds time) {
  mutex.lock();
  held.count_down();
  wait_for_waiters(mutex, waiters);
  ManualClock::pass(time);
  mutex.unlock();
  asm volatile("" ::: "memory");  // prevents a tail call
}

[[gnu::noinline]] void wait_for_it(TestMutex& mutex) {
  mutex.lock();
  mutex.unlock();
  asm volatile("" ::: "memory");
}

// Makes this thread wait for `time` while a thread named `holder` holds the mutex in hold_long().
void block_once(TestMutex& mutex, const char* holder, nanoseconds time) {
  std::latch held(1);
  std::thread holding = named_thread(holder, [&] { hold_long(mutex, held, 1, time); });
  held.wait();
  std::thread waiting = named_thread("waiter", [&] { wait_for_it(mutex); });
  holding.join();
  waiting.join();
}

TEST(ProfiledMutex, WorksWithAllGuards) {
  ProfiledMutex mutex("guards");
  ProfiledMutex other("other");
  { const std::lock_guard lock(mutex); }
  {
    std::unique_lock lock(mutex, std::try_to_lock);
    EXPECT_TRUE(lock.owns_lock());
  }
  { const std::scoped_lock both(mutex, other); }
  std::condition_variable_any changed;
  bool ready = false;
  std::thread setter([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  }
  setter.join();
  EXPECT_GE(usage_of("guards").acquisitions, 5U);
  EXPECT_EQ(usage_of("other").acquisitions, 1U);
}

TEST(ProfiledMutex, ExcludesOthers) {
  ProfiledMutex mutex("counter");
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        const std::lock_guard lock(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 40'000);
  EXPECT_EQ(usage_of("counter").acquisitions, 40'000U);
}

TEST(ProfiledMutex, TryLockFailsIfAnotherThreadHoldsIt) {
  ProfiledMutex mutex("tried");
  const std::lock_guard lock(mutex);
  std::thread([&] { EXPECT_FALSE(mutex.try_lock()); }).join();
  EXPECT_EQ(usage_of("tried").acquisitions, 1U);
}

TEST(ProfiledMutex, CountsNoWaitIfNobodyWaits) {
  TestMutex mutex("quiet");
  for (int i = 0; i < 100; ++i) {
    const std::lock_guard lock(mutex);
    ManualClock::pass(nanoseconds(10));
  }
  const LockUsage usage = usage_of("quiet");
  EXPECT_EQ(usage.acquisitions, 100U);
  EXPECT_EQ(usage.waits, 0U);
  EXPECT_EQ(usage.waited, nanoseconds(0));
  EXPECT_TRUE(usage.holders.empty());
}

TEST(ProfiledMutex, MeasuresHoldsExactlyIfEachIsSampled) {
  TestMutex mutex("held");
  for (const int ns : {10, 20, 3000}) {
    const std::lock_guard lock(mutex);
    ManualClock::pass(nanoseconds(ns));
  }
  const LockUsage usage = usage_of("held");
  EXPECT_EQ(usage.measured_holds, 3U);
  EXPECT_EQ(usage.held, nanoseconds(3030));
  EXPECT_EQ(usage.longest_hold, nanoseconds(3000));
  EXPECT_EQ(usage.hold_histogram[3], 1U);   // 8 to 15
  EXPECT_EQ(usage.hold_histogram[4], 1U);   // 16 to 31
  EXPECT_EQ(usage.hold_histogram[11], 1U);  // 2048 to 4095
}

TEST(ProfiledMutex, EstimatesHoldsFromSamples) {
  BasicProfiledMutex<ManualClock, 64> mutex("sampled");
  for (int i = 0; i < 100'000; ++i) {
    const std::lock_guard lock(mutex);
    ManualClock::pass(nanoseconds(100));  // all equal: any sample gives the exact sum
  }
  const LockUsage usage = usage_of("sampled");
  EXPECT_EQ(usage.held, nanoseconds(10'000'000));
  // 1562 are expected, with a standard deviation of 23.
  EXPECT_GT(usage.measured_holds, 1562U - 200);
  EXPECT_LT(usage.measured_holds, 1562U + 200);
}

TEST(ProfiledMutex, ALongFirstHoldIsNotExtrapolated) {
  using Sampled = BasicProfiledMutex<ManualClock, 64>;
  for (int i = 0; i < 1000; ++i) {
    Sampled mutex("lazy");
    for (int hold = 0; hold < 64; ++hold) {
      const std::lock_guard lock(mutex);
      if (hold == 0) ManualClock::pass(nanoseconds(1000));
    }
  }
  // The true value is 1 ms; when the first holds were always sampled it was 32 ms.
  EXPECT_LT(usage_of("lazy").held, milliseconds(4));
}

TEST(ProfiledMutex, ReportsTheHotLockWithItsHolderAndItsShare) {
  TestMutex hot("hot");
  TestMutex cold("cold");
  { const std::lock_guard lock(cold); }
  for (int i = 0; i < 10; ++i) {
    block_once(hot, "culprit", milliseconds(3));
    block_once(hot, "bystander", milliseconds(1));
  }
  const LockReport report = lock_report();
  const auto place = [&](const char* name) {
    return std::find_if(report.locks.begin(), report.locks.end(),
                        [&](const LockUsage& usage) { return usage.name == name; });
  };
  ASSERT_LT(place("hot"), place("cold"));
  const LockUsage& usage = *place("hot");
  EXPECT_EQ(usage.acquisitions, 40U);
  EXPECT_EQ(usage.waits, 20U);
  EXPECT_EQ(usage.waited, milliseconds(40));
  EXPECT_EQ(usage.longest_wait, milliseconds(3));
  EXPECT_EQ(usage.wait_histogram[21], 10U);  // 2 ms and more
  EXPECT_EQ(usage.wait_histogram[19], 10U);  // 0.5 ms and more
  EXPECT_EQ(usage.handing_over, nanoseconds(0));

  ASSERT_EQ(usage.holders.size(), 2U);
  const LockUsage::Holder& culprit = usage.holders[0];
  EXPECT_EQ(culprit.thread, "culprit");
  EXPECT_EQ(culprit.holds, 10U);
  EXPECT_EQ(culprit.blocked, milliseconds(30));
  EXPECT_DOUBLE_EQ(culprit.share, 0.75);
  EXPECT_EQ(usage.holders[1].thread, "bystander");
  EXPECT_DOUBLE_EQ(usage.holders[1].share, 0.25);

  std::uint64_t waits = 0;
  for (const LockUsage::Waiter& waiter : usage.waiters) waits += waiter.waits;
  EXPECT_EQ(waits, 20U);
}

TEST(ProfiledMutex, TheReportNamesTheHolderInASentence) {
  TestMutex mutex("told");
  block_once(mutex, "culprit", milliseconds(3));
  block_once(mutex, "other", milliseconds(1));
  if (!leads_through(base::Stack::here(), "TheReportNamesTheHolderInASentence")) {
    GTEST_SKIP() << "this build does not have function names";
  }
  const std::string text = lock_report().text(100);
  EXPECT_NE(text.find("told: 75 % of the wait was while culprit at "), std::string::npos) << text;
  EXPECT_NE(text.find("hold_long"), std::string::npos) << text;
  EXPECT_NE(text.find("wait_for_it"), std::string::npos) << text;
}

TEST(ProfiledMutex, TheHolderIsIdentifiedByItsCallOfLock) {
  TestMutex mutex("place");
  block_once(mutex, "culprit", milliseconds(3));
  if (!leads_through(base::Stack::here(), "TheHolderIsIdentifiedByItsCallOfLock")) {
    GTEST_SKIP() << "this build does not have function names";
  }
  const LockUsage usage = usage_of("place");
  ASSERT_EQ(usage.holders.size(), 1U);
  EXPECT_TRUE(leads_through(usage.holders[0].site, "hold_long"));
  ASSERT_EQ(usage.waiters.size(), 1U);
  EXPECT_TRUE(leads_through(usage.waiters[0].stack, "wait_for_it"));
  EXPECT_EQ(usage.waiters[0].waited, milliseconds(3));
}

TEST(ProfiledMutex, AHolderIsBlamedForEachWaiter) {
  TestMutex mutex("several");
  std::latch held(1);
  std::thread holding =
      named_thread("culprit", [&] { hold_long(mutex, held, 3, milliseconds(2)); });
  held.wait();
  std::vector<std::thread> waiting;
  for (int i = 0; i < 3; ++i) waiting.emplace_back([&] { wait_for_it(mutex); });
  holding.join();
  for (std::thread& thread : waiting) thread.join();
  const LockUsage usage = usage_of("several");
  EXPECT_EQ(usage.waits, 3U);
  EXPECT_EQ(usage.waited, milliseconds(6));
  ASSERT_EQ(usage.holders.size(), 1U);
  EXPECT_EQ(usage.holders[0].blocked, milliseconds(6));
  EXPECT_DOUBLE_EQ(usage.holders[0].share, 1);
}

TEST(ProfiledMutex, OnlyTheTimeOfAWaitCounts) {
  TestMutex mutex("late");
  std::latch held(1);
  std::thread holding = named_thread("culprit", [&] {
    mutex.lock();
    ManualClock::pass(milliseconds(50));  // blocks no thread
    held.count_down();
    wait_for_waiters(mutex, 1);
    ManualClock::pass(milliseconds(2));
    mutex.unlock();
  });
  held.wait();
  wait_for_it(mutex);
  holding.join();
  const LockUsage usage = usage_of("late");
  EXPECT_EQ(usage.waited, milliseconds(2));
  EXPECT_EQ(usage.holders.at(0).blocked, milliseconds(2));
  EXPECT_EQ(usage.longest_hold, milliseconds(52));
}

TEST(ProfiledMutex, AShortWaitIsCountedWithoutItsStack) {
  TestMutex mutex("short");
  block_once(mutex, "culprit", microseconds(9));
  const LockUsage usage = usage_of("short");
  EXPECT_EQ(usage.waits, 1U);
  EXPECT_EQ(usage.waited, microseconds(9));
  EXPECT_TRUE(usage.waiters.empty());
}

TEST(ProfiledMutex, LocksOfOneNameAreReportedTogetherEvenIfDestroyed) {
  for (int i = 0; i < 3; ++i) {
    TestMutex mutex("shard");
    block_once(mutex, "culprit", milliseconds(1));
  }
  TestMutex last("shard");
  const LockUsage usage = usage_of("shard");
  EXPECT_EQ(usage.locks, 4U);
  EXPECT_EQ(usage.waits, 3U);
  ASSERT_EQ(usage.holders.size(), 1U);
  EXPECT_EQ(usage.holders[0].holds, 3U);
}

TEST(ProfiledMutex, LocksMayBeDestroyedInAnyOrder) {
  std::vector<std::unique_ptr<TestMutex>> mutexes;
  for (int i = 0; i < 5; ++i) mutexes.push_back(std::make_unique<TestMutex>("ordered"));
  for (const std::size_t i : {2U, 0U, 4U, 1U, 3U}) {
    { const std::lock_guard lock(*mutexes[i]); }
    mutexes[i].reset();
    EXPECT_EQ(usage_of("ordered").locks, 5U);
  }
  EXPECT_EQ(usage_of("ordered").acquisitions, 5U);
}

TEST(ProfiledMutex, AForkDuringReportsLeavesNothingLocked) {
  if (!kChildrenMayAllocate) GTEST_SKIP() << "this sanitizer's allocator does not support forks";
  base::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!over.load(base::memory_order_relaxed)) {
        TestMutex mutex("of the parent");
        { const std::lock_guard lock(mutex); }
        static_cast<void>(lock_report());
      }
    });
  }
  threads.emplace_back([&] {
    LockProfile profile("of the parent", base::SourceLocation::current());
    while (!over.load(base::memory_order_relaxed)) static_cast<void>(profile.waiter());
  });
  threads.emplace_back([&] {
    while (!over.load(base::memory_order_relaxed)) static_cast<void>(thread_name(1));
  });
  EXPECT_TRUE(succeeds_in_children(100, [] {
    LockProfile profile("of the child", base::SourceLocation::current());
    profile.blame({1, 1}, 5);
    return profile.waiter() != nullptr && usage_of("of the child").locks == 1;
  }));
  over.store(true, base::memory_order_relaxed);
  for (std::thread& thread : threads) thread.join();
}

TEST(ProfiledMutex, AClockThatGoesBackMeasuresZero) {
  TestMutex mutex("back");
  block_once(mutex, "culprit", -milliseconds(1));
  const LockUsage usage = usage_of("back");
  EXPECT_EQ(usage.waits, 1U);
  EXPECT_EQ(usage.waited, nanoseconds(0));
  EXPECT_EQ(usage.longest_wait, nanoseconds(0));
  EXPECT_EQ(usage.measured_holds, 2U);
  EXPECT_EQ(usage.held, nanoseconds(0));
  EXPECT_EQ(usage.hold_histogram[0], 2U);
}

TEST(ProfiledMutex, WithoutANameItIsNamedAfterItsPlace) {
  const ProfiledMutex mutex;
  const std::string name = "profiled_mutex_test.cc:" + std::to_string(__LINE__ - 1);
  EXPECT_EQ(usage_of(name).locks, 1U);
}

TEST(ProfiledMutex, AWaitIsASpanOnTheTimeline) {
  TestMutex mutex("traced");
  std::string trace;
  Timeline timeline([&](std::string_view block) { trace += block; });
  { const std::lock_guard lock(mutex); }
  block_once(mutex, "culprit", milliseconds(1));
  block_once(mutex, "culprit", milliseconds(1));
  timeline.stop();
  std::size_t spans = 0;
  for (std::size_t at = 0; (at = trace.find("\"lock traced\"", at)) != std::string::npos; ++at) {
    ++spans;
  }
  EXPECT_EQ(spans, 2U) << trace;
}

TEST(ProfiledMutex, HoldersBeyondTheLimitAreReportedTogether) {
  LockProfile profile("crowd", base::SourceLocation::current());
  for (std::uintptr_t place = 1; place <= 1000; ++place) profile.blame({place, place}, 5);
  const LockUsage usage = usage_of("crowd");
  EXPECT_EQ(usage.holders.size(), 64U);
  nanoseconds blocked{0};
  for (const LockUsage::Holder& holder : usage.holders) blocked += holder.blocked;
  EXPECT_EQ(blocked, nanoseconds(5000));
  EXPECT_EQ(usage.holders[0].thread, "others");
}

TEST(ProfiledMutex, AReportMayBeMadeDuringContention) {
  ProfiledMutex mutex("fought");
  std::latch done(2);
  const auto fight = [&] {
    for (int i = 0; i < 2000; ++i) {
      const std::lock_guard lock(mutex);
    }
    done.count_down();
  };
  std::thread one(fight);
  std::thread two(fight);
  std::uint64_t last = 0;
  while (!done.try_wait()) {
    const std::uint64_t now = usage_of("fought").acquisitions;
    EXPECT_GE(now, last);
    last = now;
  }
  one.join();
  two.join();
  EXPECT_EQ(usage_of("fought").acquisitions, 4000U);
}

TEST(LockWaits, AddsUpAllWaiters) {
  std::uint64_t word = 0;
  word += LockWaits::one(1000);
  word += LockWaits::one(1200);
  EXPECT_EQ(LockWaits(word).until(1300), 400U);
  word -= LockWaits::one(1000);
  EXPECT_EQ(LockWaits(word).until(1300), 100U);
  word -= LockWaits::one(1200);
  EXPECT_EQ(word, 0U);
}

TEST(LockWaits, IsExactForAnyClockValue) {
  // The sum of the times overflows many times; the elapsed time is still exact.
  const std::uint64_t year = 365ULL * 86'400 * 1'000'000'000;
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) word += LockWaits::one(70 * year + i);
  EXPECT_EQ(LockWaits(word).until(70 * year + 1000), 500'500U);
  for (std::uint64_t i = 0; i < 1000; ++i) word -= LockWaits::one(70 * year + i);
  EXPECT_EQ(word, 0U);
}

TEST(LockWaits, CoversLessThan49BitsOfNanoseconds) {
  constexpr std::uint64_t kMost = (1ULL << 49U) - 1;
  EXPECT_EQ(LockWaits(LockWaits::one(1000)).until(1000 + kMost), kMost);
  EXPECT_EQ(LockWaits(LockWaits::one(1000)).until(1000 + kMost + 1), 0U);
}

TEST(LockWaits, AClockThatIsBehindGivesZero) {
  EXPECT_EQ(LockWaits(LockWaits::one(1000)).until(990), 0U);
}

}  // namespace
}  // namespace fathom::diag
