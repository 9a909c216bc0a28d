// TwoLockQueue in all schedules of a few steps, and with planted bugs.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "fathom/rt/two_lock_queue.h"
#include "model/expect.h"
#include "model/table.h"

namespace fathom::rt {
namespace {

using model::Bugs;
using model::expect_clean;
using model::explore;
using model::Item;
using model::Items;
using model::Scenario;

struct Line {
  TwoLockQueue<Item> queue;
  Items in;
  Items out;
  void push(unsigned item) {
    if (queue.push(item)) in.push_back(item);
  }
  bool try_pop() {
    const auto item = queue.try_pop();
    if (item) out.push_back(*item);
    return item.has_value();
  }
  bool all_out() {
    while (try_pop()) {
    }
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    return in == out;
  }
};

// Two threads push while two others try to pop once each.
Scenario crossing() {
  const auto line = std::make_shared<Line>();
  Scenario scenario;
  for (unsigned i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([line, i] { line->push(i); });
    scenario.threads.emplace_back([line] { line->try_pop(); });
  }
  scenario.check = [line] { return line->all_out(); };
  return scenario;
}

// One thread pops until another closes the queue; each push that succeeded comes before the end.
Scenario closing_while_popping() {
  const auto line = std::make_shared<Line>();
  Scenario scenario;
  scenario.threads.emplace_back([line] { line->push(0); });
  scenario.threads.emplace_back([line] { line->queue.close(); });
  scenario.threads.emplace_back([line] {
    while (const auto item = line->queue.pop()) line->out.push_back(*item);
  });
  scenario.check = [line] { return line->in == line->out; };
  return scenario;
}

// One thread waits for an item that another pushes; the queue is not closed.
Scenario handing_over() {
  const auto line = std::make_shared<Line>();
  Scenario scenario;
  scenario.threads.emplace_back([line] { line->push(0); });
  scenario.threads.emplace_back([line] { line->out.push_back(*line->queue.pop()); });
  scenario.check = [line] { return line->in == line->out; };
  return scenario;
}

// Two threads wait for items when the queue is closed.
Scenario sending_home() {
  const auto line = std::make_shared<Line>();
  Scenario scenario;
  for (int i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([line] {
      if (line->queue.pop()) line->out.push_back(0);
    });
  }
  scenario.threads.emplace_back([line] { line->queue.close(); });
  scenario.check = [line] { return line->out.empty(); };
  return scenario;
}

TEST(ModelTwoLockQueue, Q4Q5NothingIsLostOrDuplicated) {
  expect_clean(explore(crossing, 2));
}

TEST(ModelTwoLockQueue, Q12TheEndComesAfterAllItems) {
  expect_clean(explore(closing_while_popping, 3));
}

TEST(ModelTwoLockQueue, Q12AWaitingThreadIsWokenByAnItemAndByClosing) {
  expect_clean(explore(handing_over, 3));
  expect_clean(explore(sending_home, 2));
}

TEST(ModelTwoLockQueue, Q6FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore(crossing, 2, bugs).raced, 0U);
}

}  // namespace
}  // namespace fathom::rt
