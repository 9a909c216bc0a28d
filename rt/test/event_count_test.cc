// Tests of the event count: both phases, time-outs, and stress that would expose a lost wake-up.

#include "fathom/rt/event_count.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"

namespace fathom::rt {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Returns once a thread has registered: a notification from then on sees it.
void await_waiter(const EventCount& events) {
  while (!events.has_waiters()) std::this_thread::yield();
}

TEST(EventCount, NotifyingNobodyDoesNothing) {
  EventCount events;
  EXPECT_FALSE(events.notify_one());
  EXPECT_FALSE(events.notify_all());
}

TEST(EventCount, ANotificationBetweenTheTwoPhasesIsNotLost) {
  EventCount events;
  auto key = events.prepare_wait();
  EXPECT_TRUE(events.notify_one());
  events.commit_wait(key);  // returns
  key = events.prepare_wait();
  EXPECT_TRUE(events.notify_all());
  EXPECT_TRUE(events.commit_wait_for(key, nanoseconds::max()));
  EXPECT_FALSE(events.has_waiters());
}

TEST(EventCount, ACancelledWaitIsForgotten) {
  EventCount events;
  const auto key = events.prepare_wait();
  EXPECT_TRUE(events.has_waiters());
  events.cancel_wait(key);
  EXPECT_FALSE(events.has_waiters());
  EXPECT_FALSE(events.notify_one());
}

TEST(EventCount, ATimedWaitEndsWithoutANotification) {
  EventCount events;
  for (const nanoseconds duration :
       {nanoseconds(0), nanoseconds(-5), nanoseconds::min(), nanoseconds(milliseconds(1))}) {
    const auto key = events.prepare_wait();
    EXPECT_FALSE(events.commit_wait_for(key, duration));
  }
  EXPECT_FALSE(events.has_waiters());
}

// In nanoseconds it does not fit into 64 bits.
TEST(EventCount, AWaitForADurationThatNoClockReachesEndsWithANotification) {
  EventCount events;
  base::atomic<bool> begins{false};
  std::thread notifier([&] {
    while (!begins.load(base::memory_order_relaxed)) std::this_thread::yield();
    for (int i = 0; i < 10'000; ++i) std::this_thread::yield();  // the wait probably begins first
    events.notify_one();
  });
  const auto key = events.prepare_wait();
  begins.store(true, base::memory_order_relaxed);
  EXPECT_TRUE(events.commit_wait_for(key, std::chrono::hours::max()));
  notifier.join();
}

TEST(EventCount, ADeadlineMayBeAnyTime) {
  EventCount events;
  const auto now = base::monotonic_now();
  for (const auto deadline :
       {base::MonotonicClock::time_point::min(), base::MonotonicClock::time_point(), now}) {
    const auto key = events.prepare_wait();
    EXPECT_FALSE(events.commit_wait_until(key, deadline));
  }
  EXPECT_FALSE(events.has_waiters());
}

TEST(EventCount, ANotificationEndsATimedWaitAndIsReported) {
  for (const auto deadline :
       {base::MonotonicClock::time_point::max(), base::monotonic_now() + std::chrono::hours(1)}) {
    EventCount events;
    std::thread waiter([&] {
      const auto key = events.prepare_wait();
      EXPECT_TRUE(events.commit_wait_until(key, deadline));
    });
    await_waiter(events);
    EXPECT_TRUE(events.notify_one());
    waiter.join();
    EXPECT_FALSE(events.has_waiters());
  }
}

TEST(EventCount, AnEarlierNotificationDoesNotEndALaterWait) {
  EventCount events;
  const auto first = events.prepare_wait();
  events.notify_all();
  events.commit_wait(first);
  const auto second = events.prepare_wait();
  EXPECT_FALSE(events.commit_wait_for(second, milliseconds(1)));
}

// Sleeps until the count is above its previous value.
void wait_above(EventCount& events, const base::atomic<unsigned>& count, unsigned seen) {
  while (count.load(base::memory_order_acquire) <= seen) {
    const auto key = events.prepare_wait();
    if (count.load(base::memory_order_acquire) > seen) {
      events.cancel_wait(key);
    } else {
      events.commit_wait(key);
    }
  }
}

TEST(EventCount, P1P2PingPongLosesNoWakeUp) {
  constexpr unsigned kRounds = 20'000;
  EventCount ping_event;
  EventCount pong_event;
  base::atomic<unsigned> ping{0};
  base::atomic<unsigned> pong{0};
  std::thread other([&] {
    for (unsigned i = 0; i < kRounds; ++i) {
      wait_above(ping_event, ping, i);
      pong.store(i + 1, base::memory_order_release);
      pong_event.notify_one();
    }
  });
  for (unsigned i = 0; i < kRounds; ++i) {
    ping.store(i + 1, base::memory_order_release);
    ping_event.notify_one();
    wait_above(pong_event, pong, i);
  }
  other.join();
}

TEST(EventCount, P1P2EachOfManyNotificationsWakesAWaiter) {
  constexpr unsigned kWaiters = 4;
  constexpr unsigned kTokens = 4000;
  EventCount events;
  base::atomic<unsigned> tokens{0};
  std::vector<std::thread> waiters;
  const auto take = [&] {
    unsigned now = tokens.load(base::memory_order_relaxed);
    while (now > 0 && !tokens.compare_exchange_weak(now, now - 1, base::memory_order_relaxed)) {
    }
    return now > 0;
  };
  for (unsigned i = 0; i < kWaiters; ++i) {
    waiters.emplace_back([&] {
      for (unsigned taken = 0; taken < kTokens / kWaiters;) {
        if (take()) {
          ++taken;
          continue;
        }
        const auto key = events.prepare_wait();
        if (tokens.load(base::memory_order_relaxed) > 0) {
          events.cancel_wait(key);
        } else {
          events.commit_wait(key);
        }
      }
    });
  }
  for (unsigned i = 0; i < kTokens; ++i) {
    tokens.fetch_add(1, base::memory_order_relaxed);
    events.notify_one();
  }
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(tokens.load(base::memory_order_relaxed), 0U);
}

TEST(EventCount, NotifyAllWakesAllAndPublishesWhatHappenedBefore) {
  EventCount events;
  unsigned data = 0;  // not atomic: the notification itself publishes it
  base::atomic<unsigned> announced{0};
  std::vector<std::thread> waiters;
  for (unsigned i = 0; i < 4; ++i) {
    waiters.emplace_back([&] {
      const auto key = events.prepare_wait();
      announced.fetch_add(1, base::memory_order_relaxed);
      events.commit_wait(key);
      EXPECT_EQ(data, 42U);
    });
  }
  while (announced.load(base::memory_order_relaxed) < 4) std::this_thread::yield();
  data = 42;
  EXPECT_TRUE(events.notify_all());
  for (std::thread& waiter : waiters) waiter.join();
}

// A handler without SA_RESTART makes the kernel return EINTR.
TEST(EventCount, ASignalDoesNotEndAWait) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, &before);
  EventCount events;
  base::atomic<bool> notified{false};
  std::thread waiter([&] {
    const auto key = events.prepare_wait();
    events.commit_wait(key);
    EXPECT_TRUE(notified.load(base::memory_order_acquire));
  });
  await_waiter(events);
  for (int i = 0; i < 100; ++i) {
    pthread_kill(waiter.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  notified.store(true, base::memory_order_release);
  events.notify_one();
  waiter.join();
  sigaction(SIGUSR1, &before, nullptr);
}

// P9: a time-out and a notification at about the same time.
TEST(EventCount, P9ATimedWaitAndANotificationMayMeet) {
  EventCount events;
  for (int round = 0; round < 300; ++round) {
    base::atomic<bool> done{false};
    std::thread waiter([&] {
      while (!done.load(base::memory_order_acquire)) {
        const auto key = events.prepare_wait();
        if (done.load(base::memory_order_acquire)) {
          events.cancel_wait(key);
        } else {
          events.commit_wait_for(key, std::chrono::microseconds(20));
        }
      }
    });
    done.store(true, base::memory_order_release);
    events.notify_one();
    waiter.join();
    ASSERT_FALSE(events.has_waiters());
  }
}

}  // namespace
}  // namespace fathom::rt
