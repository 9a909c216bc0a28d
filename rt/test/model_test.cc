// The deque and the event count in all schedules of a few steps, and the proof that this would
// find a mistake: with a bug planted below them it does.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "fathom/rt/deque.h"
#include "fathom/rt/event_count.h"
#include "model/checker.h"

namespace fathom::rt {
namespace {

using model::Bugs;
using model::explore;
using model::Result;
using model::Scenario;

using Deque = WorkStealingDeque<unsigned>;

// A deque, and how often each item came out of it.
struct Board {
  Board(std::size_t capacity, std::uint64_t start, unsigned items)
      : deque(capacity, start), taken(items) {}
  void pop() {
    if (const auto item = deque.pop()) ++taken.at(*item);
  }
  void steal() {
    const auto stolen = deque.steal();
    if (stolen.status == StealStatus::taken) ++taken.at(stolen.value);
  }
  // Takes what is left, then tells whether each item came out once.
  bool each_once() {
    while (const auto item = deque.pop()) ++taken.at(*item);
    for (const unsigned times : taken) {
      if (times != 1) return false;
    }
    return true;
  }

  Deque deque;
  std::vector<unsigned> taken;
};

// So many items are in the deque; the owner pops them while thieves steal one each.
Scenario last_items(unsigned items, unsigned thieves) {
  const auto board = std::make_shared<Board>(2, 0, items);
  for (unsigned i = 0; i < items; ++i) board->deque.push(i);
  Scenario scenario;
  scenario.threads.emplace_back([board, items] {
    for (unsigned i = 0; i < items; ++i) board->pop();
  });
  for (unsigned i = 0; i < thieves; ++i) {
    scenario.threads.emplace_back([board] { board->steal(); });
  }
  scenario.check = [board] { return board->each_once(); };
  return scenario;
}

// The owner grows the deque from one slot, pops and pushes again, while a thief steals twice.
Scenario growth() {
  const auto board = std::make_shared<Board>(1, ~std::uint64_t{0}, 4);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    for (unsigned i = 0; i < 3; ++i) board->deque.push(i);
    board->pop();
    board->deque.push(3);
  });
  scenario.threads.emplace_back([board] {
    board->steal();
    board->steal();
  });
  scenario.check = [board] { return board->each_once(); };
  return scenario;
}

// The ring wraps while a thief is between its look at the slot and its claim.
Scenario wrapping() {
  const auto board = std::make_shared<Board>(2, 0, 4);
  for (unsigned i = 0; i < 2; ++i) board->deque.push(i);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    board->pop();
    board->deque.push(2);
    board->deque.push(3);
  });
  for (int i = 0; i < 2; ++i) scenario.threads.emplace_back([board] { board->steal(); });
  scenario.check = [board] { return board->each_once(); };
  return scenario;
}

// A thief takes half of four while the owner pops them all.
Scenario batch() {
  const auto board = std::make_shared<Board>(4, 0, 4);
  const auto thief = std::make_shared<Deque>(1);
  for (unsigned i = 0; i < 4; ++i) board->deque.push(i);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    for (int i = 0; i < 4; ++i) board->pop();
  });
  scenario.threads.emplace_back([board, thief] {
    const auto stolen = board->deque.steal_batch(*thief, 4);
    if (stolen.status == StealStatus::taken) ++board->taken.at(stolen.value);
  });
  scenario.check = [board, thief] {
    while (const auto item = thief->pop()) ++board->taken.at(*item);
    return board->each_once();
  };
  return scenario;
}

// So many waiters sleep until there is a flag; one thread sets it and notifies.
Scenario flag(unsigned waiters, bool all) {
  struct State {
    base::atomic<bool> set{false};
    EventCount events;
  };
  const auto state = std::make_shared<State>();
  Scenario scenario;
  for (unsigned i = 0; i < waiters; ++i) {
    scenario.threads.emplace_back([state] {
      while (!state->set.load(base::memory_order_acquire)) {
        const auto key = state->events.prepare_wait();
        if (state->set.load(base::memory_order_acquire)) {
          state->events.cancel_wait(key);
        } else {
          state->events.commit_wait(key);
        }
      }
    });
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

void expect_clean(const Result& result) {
  EXPECT_EQ(result.wrong, 0U);
  EXPECT_EQ(result.deadlocked, 0U);
  EXPECT_GT(result.runs, 100U);
}

TEST(Model, D3D7TheLastItemsAreTakenOnce) {
  expect_clean(explore([] { return last_items(1, 2); }, 3));
  expect_clean(explore([] { return last_items(2, 1); }, 4));
  expect_clean(explore([] { return last_items(3, 2); }, 2));
}

TEST(Model, D1D4D8GrowthLosesNothing) {
  expect_clean(explore(growth, 3));
}

TEST(Model, D3ASlotThatIsReusedIsNotTakenForAnother) {
  expect_clean(explore(wrapping, 3));
}

TEST(Model, D2ABatchDoesNotOvertakeTheOwner) {
  expect_clean(explore(batch, 3));
}

TEST(Model, FindsAPopThatDoesNotAnnounceItself) {
  const Bugs bugs{.seq_cst_stores_wait = true};
  EXPECT_GT(explore([] { return last_items(2, 2); }, 3, bugs).wrong, 0U);
  EXPECT_GT(explore(batch, 3, bugs).wrong, 0U);
}

TEST(Model, FindsAClaimThatDoesNotCompare) {
  const Bugs bugs{.exchanges_always_win = true};
  EXPECT_GT(explore([] { return last_items(1, 1); }, 2, bugs).wrong, 0U);
  EXPECT_GT(explore(wrapping, 2, bugs).wrong, 0U);
}

TEST(Model, P4NoWakeUpIsLost) {
  expect_clean(explore([] { return flag(1, false); }, 4));
  expect_clean(explore([] { return flag(2, false); }, 3));
  expect_clean(explore([] { return flag(2, true); }, 3));
}

TEST(Model, P4FindsANotificationWithoutItsFence) {
  const Bugs bugs{.fences_do_nothing = true};
  EXPECT_GT(explore([] { return flag(1, false); }, 2, bugs).deadlocked, 0U);
}

}  // namespace
}  // namespace fathom::rt
