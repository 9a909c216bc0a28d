// Tests of the event count with asymmetric fences.

#include "fathom/rt/light_event_count.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"
#include "forked.h"
#include "queue_oracle.h"

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include "membarrier_filter.h"
#endif

namespace fathom::rt {
namespace {

using Count = base::atomic<unsigned>;

constexpr WaitFence kFences[] = {WaitFence::by_waiter, WaitFence::by_both};

// Waits until the count is above its previous value, and counts the checks.
void wait_above(LightEventCount& events, const Count& count, unsigned seen, Count& looks) {
  const auto ready = [&] {
    looks.store(looks.load(base::memory_order_relaxed) + 1, base::memory_order_relaxed);
    return count.load(base::memory_order_acquire) > seen;
  };
  while (!ready()) events.wait(ready);
}

TEST(LightEventCount, DoesNotWaitIfTheConditionHolds) {
  LightEventCount events;
  events.wait([] { return true; });
  EXPECT_FALSE(events.has_waiters());
  events.notify_one();
  events.notify_all();
}

TEST(LightEventCount, APastDeadlineStillAllowsOneCheck) {
  LightEventCount events;
  for (const auto deadline :
       {LightEventCount::Deadline::min(), LightEventCount::Deadline(), base::monotonic_now()}) {
    EXPECT_TRUE(events.wait_until([] { return true; }, deadline));
    EXPECT_FALSE(events.wait_until([] { return false; }, deadline));
  }
  EXPECT_FALSE(events.has_waiters());
}

TEST(LightEventCount, AWaitEndsAtItsDeadline) {
  for (const WaitFence fence : kFences) {
    LightEventCount events(fence);
    const auto deadline = base::monotonic_now() + std::chrono::milliseconds(1);
    while (events.wait_until([] { return false; }, deadline)) {
    }
    EXPECT_GE(base::monotonic_now(), deadline);
    EXPECT_FALSE(events.has_waiters());
  }
}

// A condition that holds at the deadline counts, even if no thread has notified.
TEST(LightEventCount, AConditionThatHoldsAtTheDeadlineCounts) {
  LightEventCount events;
  const auto deadline = base::monotonic_now() + std::chrono::milliseconds(1);
  EXPECT_TRUE(events.wait_until([&] { return base::monotonic_now() >= deadline; }, deadline));
}

TEST(LightEventCount, ANotificationEndsATimedWait) {
  for (int round = 0; round < 200; ++round) {
    LightEventCount events(kFences[round % 2]);
    Count count{0};
    std::thread waiter([&] {
      const auto ready = [&] { return count.load(base::memory_order_acquire) != 0; };
      while (!ready()) EXPECT_TRUE(events.wait_until(ready, in_an_hour()));
    });
    linger(round);
    count.store(1, base::memory_order_release);
    events.notify_one();
    waiter.join();
    ASSERT_FALSE(events.has_waiters());
  }
}

TEST(LightEventCount, NotifyAllWakesAll) {
  for (int round = 0; round < 200; ++round) {
    LightEventCount events(kFences[round % 2]);
    Count count{0};
    Count looks{0};
    std::thread first([&] { wait_above(events, count, 0, looks); });
    std::thread second([&] { wait_above(events, count, 0, looks); });
    linger(round);
    count.store(1, base::memory_order_release);
    events.notify_all();
    first.join();
    second.join();
    ASSERT_FALSE(events.has_waiters());
  }
}

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
TEST(LightEventCount, AWaitWithFencesByBothNeverCallsMembarrier) {
  EXPECT_TRUE(testing::holds_in_child([] {
    LightEventCount events(WaitFence::by_both);
    if (!testing::set_membarrier_action(SECCOMP_RET_KILL_PROCESS)) return false;
    events.wait([&] { return events.has_waiters(); });  // until this thread has registered
    events.notify_one();
    return !events.has_waiters();
  }));
}
#endif

// A waiter checks several times, registers, and checks once more. This test places the change after
// each of the checks in turn. It tests the protocol; that the fences are necessary only the model
// can show, because a processor rarely reorders in time.
void expect_changes_seen_going_to_sleep(WaitFence fence) {
  constexpr unsigned kRounds = 20'000;
  constexpr unsigned kMostLooks = 20;
  constexpr unsigned kLongest = 400;  // about a microsecond
  LightEventCount events(fence);
  alignas(base::kCacheLine) Count count{0};
  alignas(base::kCacheLine) Count seen{0};
  alignas(base::kCacheLine) Count looks{0};
  std::thread waiter([&] {
    for (unsigned i = 0; i < kRounds; ++i) {
      wait_above(events, count, i, looks);
      looks.store(0, base::memory_order_relaxed);
      seen.store(i + 1, base::memory_order_release);
    }
  });
  for (unsigned i = 0; i < kRounds; ++i) {
    while (seen.load(base::memory_order_acquire) < i) look_again();
    const unsigned enough = i % kMostLooks;
    while (looks.load(base::memory_order_relaxed) < enough && !events.has_waiters()) look_again();
    for (unsigned n = 0; n < i / kMostLooks % kLongest; ++n) seen.load(base::memory_order_relaxed);
    count.store(i + 1, base::memory_order_release);
    events.notify_one();
  }
  waiter.join();
}

TEST(LightEventCount, P4AChangeIsSeenByAWaiterThatGoesToSleep) {
  for (const WaitFence fence : kFences) expect_changes_seen_going_to_sleep(fence);
}

}  // namespace
}  // namespace fathom::rt
