// The event counts in all schedules of a few steps, and with planted bugs.

#include "fathom/rt/event_count.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "fathom/rt/deque.h"
#include "fathom/rt/light_event_count.h"
#include "model/data.h"
#include "model/expect.h"

namespace fathom::rt {
namespace {

using model::Bugs;
using model::expect_clean;
using model::explore;
using model::Scenario;

constexpr auto kNever = LightEventCount::kNever;
constexpr LightEventCount::Deadline kSoon{};  // may pass at any moment

// A flag, and the event count of those who wait for it.
struct Flag {
  base::atomic<bool> set{false};
  EventCount events;

  void wait() {
    while (!set.load(base::memory_order_acquire)) {
      const auto key = events.prepare_wait();
      if (set.load(base::memory_order_acquire)) {
        events.cancel_wait(key);
      } else {
        events.commit_wait(key);
      }
    }
  }
  void raise() {
    set.store(true, base::memory_order_release);
    events.notify_one();
  }
};

// Waiters sleep until a flag is set; one thread sets it and notifies.
Scenario flag(unsigned waiters, bool all) {
  const auto state = std::make_shared<Flag>();
  Scenario scenario;
  for (unsigned i = 0; i < waiters; ++i) {
    scenario.threads.emplace_back([state] { state->wait(); });
  }
  scenario.threads.emplace_back([state, waiters, all] {
    state->set.store(true, base::memory_order_release);
    if (all) {
      state->events.notify_all();
    } else {
      for (unsigned i = 0; i < waiters; ++i) state->events.notify_one();
    }
  });
  scenario.check = [state] { return !state->events.has_waiters(); };
  return scenario;
}

// One waiter with a deadline sleeps until a flag is set.
Scenario flag_until(LightEventCount::Deadline deadline) {
  const auto state = std::make_shared<Flag>();
  Scenario scenario;
  scenario.threads.emplace_back([state, deadline] {
    while (!state->set.load(base::memory_order_acquire)) {
      const auto key = state->events.prepare_wait();
      if (state->set.load(base::memory_order_acquire)) {
        state->events.cancel_wait(key);
      } else {
        state->events.commit_wait_until(key, deadline);
      }
    }
  });
  scenario.threads.emplace_back([state] { state->raise(); });
  scenario.check = [state] { return !state->events.has_waiters(); };
  return scenario;
}

// A notification comes at about the time at which the wait ends.
struct Meeting {
  model::Data<int> data{0};
  EventCount events;
  bool notified = false;
};
Scenario meeting(const std::function<bool(const Meeting&)>& check) {
  const auto state = std::make_shared<Meeting>();
  const auto key = std::make_shared<EventCount::Key>(state->events.prepare_wait());
  Scenario scenario;
  scenario.threads.emplace_back([state, key] {
    state->notified = state->events.commit_wait_until(*key, kSoon);
    if (state->notified) state->data.get();
  });
  scenario.threads.emplace_back([state] {
    state->data.set(1);
    state->events.notify_one();
  });
  scenario.check = [state, check] { return check(*state); };
  return scenario;
}

// Two waiters; one gives up while the other is notified.
Scenario cancelling() {
  const auto state = std::make_shared<Flag>();
  Scenario scenario;
  scenario.threads.emplace_back(
      [state] { state->events.cancel_wait(state->events.prepare_wait()); });
  scenario.threads.emplace_back([state] { state->wait(); });
  scenario.threads.emplace_back([state] { state->raise(); });
  scenario.check = [state] { return !state->events.has_waiters(); };
  return scenario;
}

// The waiter learns of the change only by the notification.
Scenario message() {
  struct State {
    model::Data<int> data{0};
    EventCount events;
  };
  const auto state = std::make_shared<State>();
  const auto key = std::make_shared<EventCount::Key>(state->events.prepare_wait());
  Scenario scenario;
  scenario.threads.emplace_back([state, key] {
    state->events.commit_wait(*key);
    state->data.get();
  });
  scenario.threads.emplace_back([state] {
    state->data.set(1);
    state->events.notify_one();
  });
  scenario.check = [state] { return !state->events.has_waiters(); };
  return scenario;
}

// Two notifications, of which only the second comes with the flag, find one waiter.
Scenario notified_twice() {
  const auto state = std::make_shared<Flag>();
  Scenario scenario;
  scenario.threads.emplace_back([state] { state->wait(); });
  scenario.threads.emplace_back([state] {
    state->events.notify_one();
    state->raise();
  });
  scenario.check = [state] { return !state->events.has_waiters(); };
  return scenario;
}

// A worker sleeps if a deque is empty, which it checks with relaxed loads: the executor's [X2]
// relies on the fences of the event count.
Scenario idle() {
  struct State {
    WorkStealingDeque<unsigned> deque{2};
    EventCount events;
  };
  const auto state = std::make_shared<State>();
  Scenario scenario;
  scenario.threads.emplace_back([state] {
    while (state->deque.empty()) {
      const auto key = state->events.prepare_wait();
      if (state->deque.empty()) {
        state->events.commit_wait(key);
      } else {
        state->events.cancel_wait(key);
      }
    }
  });
  scenario.threads.emplace_back([state] {
    state->deque.push(1);
    state->events.notify_one();
  });
  scenario.check = [state] { return !state->events.has_waiters(); };
  return scenario;
}

// Like flag(), with the event count whose notifier has no fence.
Scenario light_flag(unsigned waiters, LightEventCount::Deadline deadline = kNever,
                    WaitFence fence = WaitFence::by_waiter) {
  struct State {
    explicit State(WaitFence fence) : events(fence) {}
    base::atomic<bool> set{false};
    LightEventCount events;
  };
  const auto state = std::make_shared<State>(fence);
  const auto ready = [state] { return state->set.load(base::memory_order_acquire); };
  Scenario scenario;
  for (unsigned i = 0; i < waiters; ++i) {
    scenario.threads.emplace_back([state, ready, deadline] {
      while (!ready()) state->events.wait_until(ready, deadline);
    });
  }
  scenario.threads.emplace_back([state] {
    state->set.store(true, base::memory_order_release);
    state->events.notify_all();
  });
  scenario.check = [state] { return !state->events.has_waiters(); };
  return scenario;
}

TEST(ModelEventCount, P4NoWakeUpIsLost) {
  expect_clean(explore([] { return flag(1, false); }, 4));
  expect_clean(explore([] { return flag(2, false); }, 3));
  expect_clean(explore([] { return flag(2, true); }, 3));
  expect_clean(explore(idle, 4));
  expect_clean(explore(notified_twice, 4));
}

TEST(ModelEventCount, P4AWaitWithADeadlineLosesNoWakeUp) {
  expect_clean(explore([] { return flag_until(kNever); }, 4));
  expect_clean(explore([] { return flag_until(kSoon); }, 4));
}

TEST(ModelEventCount, P9ANotifiedThreadSeesWhatHappenedBefore) {
  const auto nobody_waits = [](const Meeting& met) { return !met.events.has_waiters(); };
  const model::Result result = explore([&] { return meeting(nobody_waits); }, 5);
  EXPECT_TRUE(result.clean());
  EXPECT_GT(result.runs, 10U);
}

// Late and notified: the notification came between the deadline and the last check, and counts. A
// waiter that is in time is always notified.
TEST(ModelEventCount, P9TheDeadlineMayComeBeforeAfterOrWithANotification) {
  for (const bool late : {false, true}) {
    for (const bool told : {false, true}) {
      const auto otherwise = [&](const Meeting& met) {
        return model::timed_out(0) != late || met.notified != told;
      };
      const model::Result result = explore([&] { return meeting(otherwise); }, 4);
      EXPECT_EQ(result.wrong > 0, late || told) << "late: " << late << ", told: " << told;
    }
  }
}

TEST(ModelEventCount, ACancelledWaitSwallowsNoNotification) {
  expect_clean(explore(cancelling, 3));
}

TEST(ModelEventCount, WhatHappenedBeforeTheNotificationIsVisible) {
  const model::Result result = explore(message, 5);
  EXPECT_TRUE(result.clean());
  EXPECT_GT(result.runs, 10U);
}

TEST(ModelEventCount, P4FindsANotificationWithoutItsFence) {
  const Bugs bugs{.fences_do_nothing = true};
  EXPECT_GT(explore([] { return flag(1, false); }, 2, bugs).deadlocked, 0U);
  EXPECT_GT(explore(idle, 2, bugs).deadlocked, 0U);
}

TEST(ModelEventCount, FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore(message, 2, bugs).raced, 0U);
}

TEST(ModelLightEventCount, P4NoWakeUpIsLost) {
  expect_clean(explore([] { return light_flag(1); }, 4));
  expect_clean(explore([] { return light_flag(2); }, 2));
}

TEST(ModelLightEventCount, P4NoWakeUpIsLostWithoutMembarrier) {
  const Bugs without{.no_membarrier = true};
  expect_clean(explore([] { return light_flag(1); }, 4, without));
  expect_clean(explore([] { return light_flag(2); }, 2, without));
}

TEST(ModelLightEventCount, P4NoWakeUpIsLostWithFencesByBoth) {
  expect_clean(explore([] { return light_flag(1, kNever, WaitFence::by_both); }, 4));
  expect_clean(explore([] { return light_flag(2, kNever, WaitFence::by_both); }, 2));
}

TEST(ModelLightEventCount, P4AWaitWithADeadlineLosesNoWakeUp) {
  for (const bool without : {false, true}) {
    const Bugs machine{.no_membarrier = without};
    expect_clean(explore([] { return light_flag(1, kSoon); }, 4, machine));
  }
  expect_clean(explore([] { return light_flag(1, kSoon, WaitFence::by_both); }, 4));
}

TEST(ModelLightEventCount, P4FindsAWaiterWithoutItsFence) {
  const Bugs bugs{.fences_do_nothing = true};
  for (const WaitFence fence : {WaitFence::by_waiter, WaitFence::by_both}) {
    EXPECT_GT(explore([=] { return light_flag(1, kNever, fence); }, 2, bugs).deadlocked, 0U);
  }
}

}  // namespace
}  // namespace fathom::rt
