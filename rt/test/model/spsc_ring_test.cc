// SpscRing in all schedules of a few steps, and with planted bugs.

#include "fathom/rt/spsc_ring.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

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
using model::Table;

using Spsc = Table<SpscRing<Item>>;

// Three items go through a ring; both sides sleep if they have to, or the producer only tries.
Scenario passing(std::size_t capacity, bool tries, WaitFence fence = WaitFence::by_waiter) {
  const auto table = std::make_shared<Spsc>(capacity, ~std::uint64_t{0}, fence);
  Scenario scenario;
  scenario.threads.emplace_back([table, tries] {
    for (unsigned i = 0; i < 3; ++i) tries ? table->try_push(i) : table->push(i);
    table->ring.close();
  });
  scenario.threads.emplace_back([table] {
    while (const auto item = table->ring.pop()) table->keep(item);
  });
  scenario.check = [table, tries] {
    return table->in == table->out && (tries || table->out == Items{0, 1, 2});
  };
  return scenario;
}

// Two items go through one slot; either side gives up at its deadline and tries again.
Scenario passing_until(LightEventCount::Deadline deadline) {
  const auto table = std::make_shared<Spsc>(1, 0);
  Scenario scenario;
  scenario.threads.emplace_back([table, deadline] {
    for (unsigned i = 0; i < 2; ++i) {
      Item item(i);
      while (!table->ring.push_until(std::move(item), deadline)) {
      }
    }
    table->ring.close();
  });
  scenario.threads.emplace_back([table, deadline] {
    for (bool over = false; !over;) {
      over = table->ring.closed();
      while (const auto item = table->ring.pop_until(deadline)) table->keep(item);
    }
  });
  scenario.check = [table] { return table->out == Items{0, 1}; };
  return scenario;
}

// Batches go through a ring of two, until a third thread closes it.
Scenario batches() {
  const auto table = std::make_shared<Spsc>(2, 0);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    std::vector<Item> items{0, 1, 2};
    const std::size_t count = table->ring.push_batch(items);
    for (unsigned i = 0; i < count; ++i) table->in.push_back(i);
  });
  scenario.threads.emplace_back([table] {
    while (table->ring.pop_batch(2, [&](const Item& item) { table->out.push_back(item); }) > 0) {
    }
  });
  scenario.threads.emplace_back([table] { table->ring.close(); });
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

// Batches of two go through a ring that is smaller than both; only pushes and pops wake threads.
Scenario endless_batches(std::size_t capacity) {
  const auto table = std::make_shared<Spsc>(capacity, 0);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    for (unsigned i = 0; i < 4; i += 2) {
      std::vector<Item> items{i, i + 1};
      table->ring.push_batch(items);
    }
  });
  scenario.threads.emplace_back([table] {
    while (table->out.size() < 4) {
      table->ring.pop_batch(2, [&](const Item& item) { table->out.push_back(item); });
    }
  });
  scenario.check = [table] { return table->out == Items{0, 1, 2, 3}; };
  return scenario;
}

// A full ring is closed while its producer waits for room, and nobody pops.
Scenario closing_full(bool batch) {
  const auto table = std::make_shared<Spsc>(1, 0);
  table->try_push(0);
  Scenario scenario;
  scenario.threads.emplace_back([table, batch] {
    if (!batch) return table->push(1);
    std::vector<Item> items{1};
    if (table->ring.push_batch(items) > 0) table->in.push_back(1);
  });
  scenario.threads.emplace_back([table] { table->ring.close(); });
  scenario.check = [table] { return table->in == Items{0} && table->all_out(); };
  return scenario;
}

TEST(ModelSpscRing, Q4Q12Q15LosesNeitherItemsNorWakeUps) {
  expect_clean(explore([] { return passing(1, false); }, 2));
  expect_clean(explore([] { return passing(2, false); }, 2));
  expect_clean(explore([] { return passing(2, true); }, 2));
  expect_clean(explore(batches, 2));
  expect_clean(explore([] { return endless_batches(1); }, 2));
  expect_clean(explore([] { return endless_batches(2); }, 2));
  expect_clean(explore([] { return passing(1, false); }, 2, {.no_membarrier = true}));
  expect_clean(explore([] { return passing(1, false, WaitFence::by_both); }, 2));
}

TEST(ModelSpscRing, Q12ADeadlineLosesNeitherItemsNorWakeUps) {
  expect_clean(explore([] { return passing_until(LightEventCount::kNever); }, 2));
  expect_clean(explore([] { return passing_until(LightEventCount::Deadline{}); }, 2));
}

TEST(ModelSpscRing, ClosingWakesAProducerThatWaitsForRoom) {
  expect_clean(explore([] { return closing_full(false); }, 4));
  expect_clean(explore([] { return closing_full(true); }, 4));
}

TEST(ModelSpscRing, ItemsPushedBeforeTheEndArePopped) {
  const model::Result result = explore(model::pushed_before_closing<SpscRing<Item>>, 4);
  EXPECT_TRUE(result.clean());
  EXPECT_GT(result.runs, 10U);
}

TEST(ModelSpscRing, Q12FindsASleeperThatMissesTheProducersStore) {
  const Bugs bugs{.fences_do_nothing = true};
  EXPECT_GT(explore([] { return passing(1, false); }, 2, bugs).deadlocked, 0U);
  EXPECT_GT(explore([] { return passing(2, true); }, 2, bugs).deadlocked, 0U);
}

TEST(ModelSpscRing, FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore([] { return passing(2, true); }, 2, bugs).raced, 0U);
}

}  // namespace
}  // namespace fathom::rt
