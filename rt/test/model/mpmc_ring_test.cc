// MpmcRing in all schedules of a few steps, and with planted bugs.

#include "fathom/rt/mpmc_ring.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

using Mpmc = Table<MpmcRing<Item>>;

// Two threads try to push an item each, two try to pop one.
Scenario tries(std::size_t capacity) {
  const auto table = std::make_shared<Mpmc>(capacity, ~std::uint64_t{0});
  Scenario scenario;
  for (unsigned i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([table, i] { table->try_push(i); });
    scenario.threads.emplace_back([table] { table->keep(table->ring.try_pop()); });
  }
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

// As many threads push as pop, by tickets, through one slot; none sleeps forever.
Scenario tickets(unsigned pairs) {
  const auto table = std::make_shared<Mpmc>(1, (std::uint64_t{1} << 63) - 1);
  Scenario scenario;
  for (unsigned i = 0; i < pairs; ++i) {
    scenario.threads.emplace_back([table, i] { table->push(i); });
    scenario.threads.emplace_back([table] { table->keep(table->ring.pop()); });
  }
  scenario.check = [table, pairs] { return table->out.size() == pairs && table->all_out(); };
  return scenario;
}

// Two threads push and two pop, through one slot, and any of them may time out.
Scenario deadlines() {
  const auto table = std::make_shared<Mpmc>(1, 0);
  Scenario scenario;
  for (unsigned i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([table, i] {
      if (table->ring.push_until(Item(i), LightEventCount::Deadline{})) table->in.push_back(i);
    });
    scenario.threads.emplace_back(
        [table] { table->keep(table->ring.pop_until(LightEventCount::Deadline{})); });
  }
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

// Pops wait with a deadline that never comes while items are pushed, alternately with a deadline
// and without.
Scenario patience(std::size_t capacity, unsigned pops) {
  const auto table = std::make_shared<Mpmc>(capacity, 0);
  Scenario scenario;
  for (unsigned i = 0; i < pops; ++i) {
    scenario.threads.emplace_back([table, i] {
      table->keep(i % 2 == 0 ? table->ring.pop_until(LightEventCount::kNever) : table->ring.pop());
    });
  }
  scenario.threads.emplace_back([table, pops] {
    for (unsigned i = 0; i < pops; ++i) {
      if (i % 2 == 0) {
        table->push(i);
      } else if (table->ring.push_until(Item(i), LightEventCount::kNever)) {
        table->in.push_back(i);
      }
    }
  });
  scenario.check = [table, pops] { return table->out.size() == pops && table->all_out(); };
  return scenario;
}

// Two pushes wait for room with a deadline that never comes, while another thread pops all items.
Scenario patience_for_room() {
  const auto table = std::make_shared<Mpmc>(1, 0);
  table->try_push(0);
  Scenario scenario;
  for (unsigned i = 1; i < 3; ++i) {
    scenario.threads.emplace_back([table, i] {
      if (table->ring.push_until(Item(i), LightEventCount::kNever)) table->in.push_back(i);
    });
  }
  scenario.threads.emplace_back([table] {
    for (int i = 0; i < 3; ++i) table->keep(table->ring.pop());
  });
  scenario.check = [table] { return table->in.size() == 3 && table->all_out(); };
  return scenario;
}

// A push waits for room in a full ring, and a pop for an item in an empty one, each with a deadline
// that never comes, until the rings are closed.
Scenario closing_patience() {
  const auto full = std::make_shared<Mpmc>(1, 0);
  const auto empty = std::make_shared<Mpmc>(1, 0);
  full->try_push(0);
  Scenario scenario;
  scenario.threads.emplace_back([full] {
    if (full->ring.push_until(Item(1), LightEventCount::kNever)) full->in.push_back(1);
  });
  scenario.threads.emplace_back(
      [empty] { empty->keep(empty->ring.pop_until(LightEventCount::kNever)); });
  scenario.threads.emplace_back([full, empty] {
    full->ring.close();
    empty->ring.close();
  });
  scenario.check = [full, empty] {
    return full->in == Items{0} && full->all_out() && empty->all_out();
  };
  return scenario;
}

// A ring with one slot is closed while a batch of two waits for room, and another thread pushes or
// pops everything.
Scenario closing(bool popping) {
  const auto table = std::make_shared<Mpmc>(1, 0);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    std::vector<Item> items{0, 1};
    const std::size_t count = table->ring.push_batch(items);
    for (unsigned i = 0; i < count; ++i) table->in.push_back(i);
  });
  scenario.threads.emplace_back([table] { table->ring.close(); });
  scenario.threads.emplace_back([table, popping] {
    if (!popping) return table->push(2);
    while (const auto item = table->ring.pop()) table->keep(item);
  });
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

// Q2: a ring whose push takes a ticket by fetch-add and returns it if the ring is full.
class UnclaimingRing {
 public:
  explicit UnclaimingRing(std::size_t capacity, std::uint64_t /*start*/)
      : capacity_(capacity), slots_(capacity) {
    for (std::size_t i = 0; i < capacity; ++i) slots_[i].turn.store(i, base::memory_order_relaxed);
  }
  bool try_push(Item item) {
    const std::uint64_t ticket = tail_.fetch_add(1, base::memory_order_relaxed);
    Slot& slot = slots_[ticket % capacity_];
    if (slot.turn.load(base::memory_order_acquire) != ticket) {
      tail_.fetch_sub(1, base::memory_order_relaxed);
      return false;
    }
    slot.item = item;
    slot.turn.store(ticket + 1, base::memory_order_release);
    return true;
  }
  bool push(Item item) { return try_push(item); }
  std::optional<Item> try_pop() {  // one thread only
    Slot& slot = slots_[head_ % capacity_];
    if (slot.turn.load(base::memory_order_acquire) != head_ + 1) return std::nullopt;
    const Item item = slot.item;
    slot.turn.store(head_ + capacity_, base::memory_order_release);
    ++head_;
    return item;
  }
  std::size_t size_hint() const { return tail_.load(base::memory_order_relaxed) - head_; }

 private:
  struct Slot {
    base::atomic<std::uint64_t> turn{0};
    Item item;
  };
  std::size_t capacity_;
  std::vector<Slot> slots_;
  base::atomic<std::uint64_t> tail_{0};
  std::uint64_t head_ = 0;
};

// A full ring of two; two threads try to push one item each while a third pops both.
template <class Ring>
Scenario overfull() {
  const auto table = std::make_shared<Table<Ring>>(2, 0);
  for (unsigned i = 0; i < 2; ++i) table->try_push(i);
  Scenario scenario;
  for (unsigned i = 2; i < 4; ++i) {
    scenario.threads.emplace_back([table, i] { table->try_push(i); });
  }
  scenario.threads.emplace_back([table] {
    for (int i = 0; i < 2; ++i) table->keep(table->ring.try_pop());
  });
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

// Three items go through one slot, one after the other.
Scenario laps() {
  const auto table = std::make_shared<Mpmc>(1, (std::uint64_t{1} << 63) - 1);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    for (unsigned i = 0; i < 3; ++i) table->push(i);
  });
  scenario.threads.emplace_back([table] {
    for (unsigned i = 0; i < 3; ++i) table->keep(table->ring.pop());
  });
  scenario.check = [table] { return table->in == table->out && table->out == Items{0, 1, 2}; };
  return scenario;
}

// A batch of two goes through a ring of two while two threads pop: the items stay adjacent.
Scenario pairs() {
  const auto table = std::make_shared<Mpmc>(2, 0);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    std::vector<Item> items{0, 1};
    const std::size_t count = table->ring.try_push_batch(items);
    for (unsigned i = 0; i < count; ++i) table->in.push_back(i);
    table->try_push(2);
  });
  for (int i = 0; i < 2; ++i) {
    scenario.threads.emplace_back([table] {
      table->ring.try_pop_batch(2, [&](Item&& item) noexcept { table->out.push_back(item); });
    });
  }
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

// Two threads pop, of which the second begins only while the first sleeps in its pop, and a third
// thread pushes an item for each: the first pop gets the first item.
Scenario in_line() {
  const auto table = std::make_shared<Mpmc>(2, 0);
  const auto first = std::make_shared<std::optional<unsigned>>();
  Scenario scenario;
  scenario.threads.emplace_back([table, first] { *first = *table->ring.pop(); });
  scenario.threads.emplace_back([table] {
    if (model::sleeps(0)) table->keep(table->ring.pop());
  });
  scenario.threads.emplace_back([table] {
    for (unsigned i = 0; i < 2; ++i) table->push(i);
  });
  scenario.check = [first] { return *first == 0U; };
  return scenario;
}

// What happened before close() is visible to a pop that reports the end.
Scenario farewell(bool batch) {
  struct State {
    MpmcRing<Item> ring{1};
    model::Data<unsigned> data{0};
  };
  const auto state = std::make_shared<State>();
  const auto seen = std::make_shared<unsigned>(0);
  Scenario scenario;
  scenario.threads.emplace_back([state] {
    state->data.set(5);
    state->ring.close();
  });
  scenario.threads.emplace_back([state, seen, batch] {
    const bool over = batch ? state->ring.pop_batch(2, [](Item&&) noexcept {}) == 0  //
                            : !state->ring.pop();
    if (over) *seen = state->data.get();
  });
  scenario.check = [seen] { return *seen == 5; };
  return scenario;
}

TEST(ModelMpmcRing, Q4Q8Q15TakesEachOnce) {
  expect_clean(explore([] { return tries(1); }, 2));
  expect_clean(explore([] { return tries(2); }, 2));
  expect_clean(explore(overfull<MpmcRing<Item>>, 2));
  expect_clean(explore(pairs, 2));
}

TEST(ModelMpmcRing, Q12LosesNoWakeUp) {
  expect_clean(explore(laps, 2));
  expect_clean(explore([] { return tickets(1); }, 3));
  expect_clean(explore([] { return tickets(2); }, 1));
  expect_clean(explore([] { return tickets(1); }, 3, {.no_membarrier = true}));
}

TEST(ModelMpmcRing, ADeadlineLosesNothing) {
  expect_clean(explore(deadlines, 1));
}

TEST(ModelMpmcRing, Q12ATimedWaitMissesNoItemAndNoRoom) {
  expect_clean(explore([] { return patience(1, 1); }, 3));
  expect_clean(explore([] { return patience(1, 2); }, 2));
  expect_clean(explore([] { return patience(2, 2); }, 1));
  expect_clean(explore(patience_for_room, 2));
}

TEST(ModelMpmcRing, Q12ATimedWaitIsWokenByClosing) {
  expect_clean(explore(closing_patience, 2));
}

TEST(ModelMpmcRing, ClosingLosesNoPushedItem) {
  expect_clean(explore([] { return closing(true); }, 2));
  expect_clean(explore([] { return closing(false); }, 2));
  const model::Result result = explore(model::pushed_before_closing<MpmcRing<Item>>, 4);
  EXPECT_TRUE(result.clean());
  EXPECT_GT(result.runs, 10U);
}

TEST(ModelMpmcRing, TheFirstWaiterIsServedFirst) {
  expect_clean(explore(in_line, 3));
}

TEST(ModelMpmcRing, APopThatFindsTheEndSeesWhatHappenedBeforeIt) {
  expect_clean(explore([] { return farewell(false); }, 3));
  expect_clean(explore([] { return farewell(true); }, 3));
}

TEST(ModelMpmcRing, FindsATicketThatIsTakenWithoutComparing) {
  const Bugs bugs{.exchanges_always_win = true};
  EXPECT_GT(explore([] { return tries(2); }, 2, bugs).bad(), 0U);
}

TEST(ModelMpmcRing, Q12FindsATicketWhoseSleeperMissesAStore) {
  const Bugs bugs{.fences_do_nothing = true};
  EXPECT_GT(explore([] { return tickets(1); }, 2, bugs).deadlocked, 0U);
}

TEST(ModelMpmcRing, FindsMissingOrders) {
  const Bugs bugs{.all_is_relaxed = true};
  EXPECT_GT(explore([] { return tries(2); }, 2, bugs).raced, 0U);
}

TEST(ModelMpmcRing, Q2FindsATicketThatIsReturned) {
  EXPECT_GT(explore(overfull<UnclaimingRing>, 4).bad(), 0U);
}

}  // namespace
}  // namespace fathom::rt
