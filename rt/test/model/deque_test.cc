// The deque in all schedules of a few steps; with planted bugs, these tests show that the checker
// finds mistakes.

#include "fathom/rt/deque.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/data.h"
#include "model/expect.h"

namespace fathom::rt {
namespace {

using model::Bugs;
using model::expect_clean;
using model::explore;
using model::Scenario;

using Deque = WorkStealingDeque<unsigned>;

// A deque of indices of notes, with a counter of how often each came out. A thread that gets an
// index reads the note that was written before the index was pushed.
struct Board {
  Board(std::size_t capacity, std::uint64_t start, unsigned items)
      : deque(capacity, start), notes(items), taken(items) {}
  void push(unsigned item) {
    notes.at(item).set(item);
    deque.push(item);
  }
  void take(unsigned item) { ++taken.at(notes.at(item).get()); }
  void pop() {
    if (const auto item = deque.pop()) take(*item);
  }
  void steal() {
    const auto stolen = deque.steal();
    if (stolen.status == StealStatus::taken) take(stolen.value);
  }
  // Takes what is left; returns whether each item came out once.
  bool each_once() {
    while (const auto item = deque.pop()) take(*item);
    for (const unsigned times : taken) {
      if (times != 1) return false;
    }
    return true;
  }

  Deque deque;
  std::vector<model::Data<unsigned>> notes;
  std::vector<unsigned> taken;
};

// So many items are in the deque; the owner pops them while each thief steals one.
Scenario last_items(unsigned items, unsigned thieves) {
  const auto board = std::make_shared<Board>(2, 0, items);
  for (unsigned i = 0; i < items; ++i) board->push(i);
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

// The owner makes the deque grow from one slot, pops and pushes again, while a thief steals twice.
Scenario growth() {
  const auto board = std::make_shared<Board>(1, ~std::uint64_t{0}, 4);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    for (unsigned i = 0; i < 3; ++i) board->push(i);
    board->pop();
    board->push(3);
  });
  scenario.threads.emplace_back([board] {
    board->steal();
    board->steal();
  });
  scenario.check = [board] { return board->each_once(); };
  return scenario;
}

// The ring wraps around while a thief is between reading the slot and its claim.
Scenario wrapping() {
  const auto board = std::make_shared<Board>(2, 0, 4);
  for (unsigned i = 0; i < 2; ++i) board->push(i);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    board->pop();
    board->push(2);
    board->push(3);
  });
  for (int i = 0; i < 2; ++i) scenario.threads.emplace_back([board] { board->steal(); });
  scenario.check = [board] { return board->each_once(); };
  return scenario;
}

// A thief takes half of four items while the owner pops all of them.
Scenario batch() {
  const auto board = std::make_shared<Board>(4, 0, 4);
  const auto thief = std::make_shared<Deque>(1);
  for (unsigned i = 0; i < 4; ++i) board->push(i);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    for (int i = 0; i < 4; ++i) board->pop();
  });
  scenario.threads.emplace_back([board, thief] {
    const auto stolen = board->deque.steal_batch(*thief, 4);
    if (stolen.status == StealStatus::taken) board->take(stolen.value);
  });
  scenario.check = [board, thief] {
    while (const auto item = thief->pop()) board->take(*item);
    return board->each_once();
  };
  return scenario;
}

// The owner pushes while a thief steals, which may see any of the pushes and pops.
Scenario publishing() {
  const auto board = std::make_shared<Board>(2, 0, 2);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    board->push(0);
    board->push(1);
    board->pop();
  });
  for (int i = 0; i < 2; ++i) scenario.threads.emplace_back([board] { board->steal(); });
  scenario.check = [board] { return board->each_once(); };
  return scenario;
}

// A thief steals two items that were pushed before, while the owner pushes one more than there is
// room for, if it reuses a slot too early.
Scenario reuse() {
  const auto board = std::make_shared<Board>(2, 0, 4);
  for (unsigned i = 0; i < 2; ++i) board->push(i);
  Scenario scenario;
  scenario.threads.emplace_back([board] {
    board->push(2);
    board->push(3);
  });
  scenario.threads.emplace_back([board] {
    board->steal();
    board->steal();
  });
  scenario.check = [board] { return board->each_once(); };
  return scenario;
}

TEST(ModelDeque, D3D7TheLastItemsAreTakenOnce) {
  expect_clean(explore([] { return last_items(1, 2); }, 4));
  expect_clean(explore([] { return last_items(2, 1); }, 4));
  expect_clean(explore([] { return last_items(2, 2); }, 3));
  expect_clean(explore([] { return last_items(3, 2); }, 2));
}

TEST(ModelDeque, D1D4D8GrowthLosesNothing) {
  expect_clean(explore(growth, 4));
}

TEST(ModelDeque, D3AReusedSlotIsNotMistakenForAnother) {
  expect_clean(explore(wrapping, 3));
  expect_clean(explore(reuse, 4));
}

TEST(ModelDeque, D2ABatchDoesNotOvertakeTheOwner) {
  expect_clean(explore(batch, 3));
}

TEST(ModelDeque, WhatWasWrittenBeforeAPushIsVisible) {
  expect_clean(explore(publishing, 3));
}

TEST(ModelDeque, FindsAPopThatIsNotPublished) {
  const Bugs bugs{.seq_cst_is_acq_rel = true};
  EXPECT_GT(explore([] { return last_items(2, 2); }, 3, bugs).wrong, 0U);
  EXPECT_GT(explore(batch, 3, bugs).wrong, 0U);
}

TEST(ModelDeque, FindsAClaimThatDoesNotCompare) {
  const Bugs bugs{.exchanges_always_win = true};
  EXPECT_GT(explore([] { return last_items(1, 1); }, 2, bugs).wrong, 0U);
  EXPECT_GT(explore(wrapping, 2, bugs).wrong, 0U);
}

TEST(ModelDeque, D5FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore(publishing, 3, bugs).raced, 0U);
  EXPECT_GT(explore(growth, 4, bugs).bad(), 0U);
}

}  // namespace
}  // namespace fathom::rt
