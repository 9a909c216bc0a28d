// MpscQueue in all schedules of a few steps, and with planted bugs.

#include "fathom/rt/mpsc_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "fathom/base/atomic.h"
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

// A queue, and what came out of it.
struct Office {
  MpscQueue<Item> queue;
  Items out;
  unsigned drain() {
    return static_cast<unsigned>(queue.drain([&](const Item& item) { out.push_back(item); }));
  }
};

// Two threads push two items each, of 0 to 3, while the consumer checks twice.
Scenario pushing() {
  const auto office = std::make_shared<Office>();
  Scenario scenario;
  for (unsigned p = 0; p < 2; ++p) {
    scenario.threads.emplace_back([office, p] {
      office->queue.push(2 * p);
      office->queue.push(2 * p + 1);
    });
  }
  scenario.threads.emplace_back([office] {
    for (int i = 0; i < 2; ++i) office->drain();
  });
  scenario.check = [office] {
    office->drain();
    const Items& out = office->out;
    const auto at = [&](unsigned item) { return std::find(out.begin(), out.end(), item); };
    return out.size() == 4 && at(0) < at(1) && at(2) < at(3);  // all, in each producer's order
  };
  return scenario;
}

// The consumer sleeps until a push requests a wake-up, and then checks until the queue is empty.
Scenario calling() {
  const auto office = std::make_shared<Office>();
  const auto calls = std::make_shared<base::atomic<unsigned>>(0U);
  Scenario scenario;
  for (unsigned p = 0; p < 2; ++p) {
    scenario.threads.emplace_back([office, calls, p] {
      if (!office->queue.push(p)) return;
      calls->fetch_add(1, base::memory_order_release);  // pairs with the acquire below
      calls->notify_one();
    });
  }
  scenario.threads.emplace_back([office, calls] {
    for (unsigned slept = 0; office->out.size() < 2; ++slept) {
      while (calls->load(base::memory_order_acquire) == slept) {
        calls->wait(slept, base::memory_order_acquire);
      }
      office->drain();
    }
  });
  scenario.check = [office] { return office->drain() == 0; };
  return scenario;
}

TEST(ModelMpscQueue, Q1LosesNothingAndKeepsEachProducersOrder) {
  expect_clean(explore(pushing, 3));
}

TEST(ModelMpscQueue, Q12TheConsumerMissesNoPush) {
  expect_clean(explore(calling, 4));
}

TEST(ModelMpscQueue, FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore(pushing, 3, bugs).raced, 0U);
}

}  // namespace
}  // namespace fathom::rt
