// MpscQueue in all schedules of a few steps, and with planted bugs.

#include "fathom/rt/mpsc_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
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

// A queue, and what came out of it. The segments have one or two slots, so that most schedules pass
// their boundaries.
template <std::size_t slots>
struct Office {
  MpscQueue<Item, slots> queue;
  Items out;
  unsigned drain() {
    return static_cast<unsigned>(queue.drain([&](const Item& item) { out.push_back(item); }));
  }
};

// Whether all of 0 to 3 came out once, in the order of each producer.
bool in_order(const Items& out) {
  const auto at = [&](unsigned item) { return std::find(out.begin(), out.end(), item); };
  return out.size() == 4 && at(0) < at(1) && at(1) != out.end() && at(2) < at(3) &&
         at(3) != out.end();
}

// Two threads push two items each, of 0 to 3, while the consumer checks twice.
template <std::size_t slots>
Scenario pushing() {
  const auto office = std::make_shared<Office<slots>>();
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
    return in_order(office->out);
  };
  return scenario;
}

// The consumer takes items one by one while others push three, in segments that are used again.
Scenario recycling() {
  const auto office = std::make_shared<Office<1>>();
  for (unsigned i = 0; i < 2; ++i) {
    office->queue.push(i);
    office->drain();
  }
  Scenario scenario;
  scenario.threads.emplace_back([office] {
    for (int i = 0; i < 3; ++i) {
      if (const auto item = office->queue.try_pop()) office->out.push_back(*item);
    }
  });
  scenario.threads.emplace_back([office] { office->queue.push(2); });
  scenario.threads.emplace_back([office] {
    office->queue.push(3);
    office->queue.push(4);
  });
  scenario.check = [office] {
    office->drain();
    const Items& out = office->out;
    const auto at = [&](unsigned item) { return std::find(out.begin(), out.end(), item); };
    return out.size() == 5 && at(2) != out.end() && at(3) < at(4) && at(4) != out.end();
  };
  return scenario;
}

// The consumer pops from a segment, skips a push there and leaves; the push leaves last, and then
// uses the segment again.
Scenario leaving() {
  const auto office = std::make_shared<Office<2>>();
  office->queue.push(0);
  Scenario scenario;
  scenario.threads.emplace_back([office] {
    office->queue.push(1);
    office->queue.push(2);
  });
  scenario.threads.emplace_back([office] { office->queue.push(3); });
  scenario.threads.emplace_back([office] {
    for (int i = 0; i < 2; ++i) {
      if (const auto item = office->queue.try_pop()) office->out.push_back(*item);
    }
  });
  scenario.check = [office] {
    office->drain();
    const Items& out = office->out;
    const auto at = [&](unsigned item) { return std::find(out.begin(), out.end(), item); };
    return out.size() == 4 && out.front() == 0 && at(3) != out.end() && at(1) < at(2) &&
           at(2) != out.end();
  };
  return scenario;
}

// A push that returned before the consumer's call began is found by it, whatever others do: nothing
// fails spuriously.
Scenario finding() {
  const auto office = std::make_shared<Office<2>>();
  const auto pushed = std::make_shared<base::atomic<bool>>(false);
  const auto missed = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([office] { office->queue.push(0); });
  scenario.threads.emplace_back([office, pushed] {
    office->queue.push(1);
    pushed->store(true, base::memory_order_release);  // pairs with the acquire below
  });
  scenario.threads.emplace_back([office, pushed, missed] {
    Items& out = office->out;
    if (const auto item = office->queue.try_pop()) out.push_back(*item);
    const bool there = pushed->load(base::memory_order_acquire);
    const bool taken = !out.empty() && out.front() == 1;
    const auto item = office->queue.try_pop();
    *missed = there && !taken && !item;
    if (item) out.push_back(*item);
  });
  scenario.check = [office, missed] {
    office->drain();
    Items& out = office->out;
    std::sort(out.begin(), out.end());
    return !*missed && out == Items{0, 1};
  };
  return scenario;
}

// The consumer sleeps until a push requests a wake-up, and then checks until the queue is empty.
template <std::size_t slots>
Scenario calling() {
  const auto office = std::make_shared<Office<slots>>();
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
  expect_clean(explore(pushing<1>, 3));
  expect_clean(explore(pushing<2>, 3));
}

TEST(ModelMpscQueue, Q1UsesSegmentsAgain) {
  expect_clean(explore(recycling, 4));
  expect_clean(explore(leaving, 3));
}

TEST(ModelMpscQueue, Q4FindsWhatWasPushedBefore) {
  expect_clean(explore(finding, 4));
}

TEST(ModelMpscQueue, Q12TheConsumerMissesNoPush) {
  expect_clean(explore(calling<1>, 4));
  expect_clean(explore(calling<2>, 4));
}

TEST(ModelMpscQueue, FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore(pushing<2>, 3, bugs).raced, 0U);
}

}  // namespace
}  // namespace fathom::rt
