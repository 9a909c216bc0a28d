// The deque, the rings and the event counts in all schedules of a few steps, and the proof that
// this would find a mistake: with a bug planted below them it does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fathom/rt/deque.h"
#include "fathom/rt/event_count.h"
#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/spsc_ring.h"
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

using Items = std::vector<unsigned>;

// A ring, and what came out of it. Threads are fibers: plain vectors will do.
template <class Ring>
struct Table {
  Table(std::size_t capacity, std::uint64_t start) : ring(capacity, start) {}
  void keep(std::optional<unsigned> item) {
    if (item) out.push_back(*item);
  }
  void push(unsigned item) {
    if (ring.push(item)) in.push_back(item);
  }
  void try_push(unsigned item) {
    if (ring.try_push(item)) in.push_back(item);
  }
  // Takes what is left, then tells whether what went in has come out, once each.
  bool all_out() {
    while (const auto item = ring.try_pop()) out.push_back(*item);
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    return in == out && ring.size_hint() == 0;
  }

  Ring ring;
  Items in;
  Items out;
};

// Three items go through a ring of so many slots; both sides sleep where they have to, or the
// producer never does.
Scenario passing(std::size_t capacity, bool tries) {
  const auto table = std::make_shared<Table<SpscRing<unsigned>>>(capacity, ~std::uint64_t{0});
  Scenario scenario;
  scenario.threads.emplace_back([table, tries] {
    for (unsigned i = 0; i < 3; ++i) tries ? table->try_push(i) : table->push(i);
    table->ring.close();
  });
  scenario.threads.emplace_back([table] {
    while (const auto item = table->ring.pop()) table->out.push_back(*item);
  });
  scenario.check = [table, tries] {
    return table->in == table->out && (tries || table->out == Items{0, 1, 2});
  };
  return scenario;
}

// Batches go through a ring of two, until it is closed by a third thread.
Scenario batches() {
  const auto table = std::make_shared<Table<SpscRing<unsigned>>>(2, 0);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    Items items{0, 1, 2};
    const std::size_t count = table->ring.push_batch(items);
    table->in.assign(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
  });
  scenario.threads.emplace_back([table] {
    while (table->ring.pop_batch(2, [&](unsigned item) { table->out.push_back(item); }) > 0) {
    }
  });
  scenario.threads.emplace_back([table] { table->ring.close(); });
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

using Mpmc = Table<MpmcRing<unsigned>>;

// Two threads try to push an item each, two to pop one.
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

// So many threads push and as many pop by tickets, through one slot; nobody sleeps for good.
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

// A ring of one slot is closed while a batch of two waits for room, and either another push or a
// thread that pops all.
Scenario closing(bool popping) {
  const auto table = std::make_shared<Mpmc>(1, 0);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    Items items{0, 1};
    const std::size_t count = table->ring.push_batch(items);
    for (unsigned i = 0; i < count; ++i) table->in.push_back(i);
  });
  scenario.threads.emplace_back([table] { table->ring.close(); });
  scenario.threads.emplace_back([table, popping] {
    if (!popping) return table->push(2);
    while (const auto item = table->ring.pop()) table->out.push_back(*item);
  });
  scenario.check = [table] { return table->all_out(); };
  return scenario;
}

// Q2: a ring whose push takes a ticket by fetch-add, and gives it back where the ring is full.
class UnclaimingRing {
 public:
  explicit UnclaimingRing(std::size_t capacity, std::uint64_t /*start*/)
      : capacity_(capacity), slots_(capacity) {
    for (std::size_t i = 0; i < capacity; ++i) slots_[i].turn.store(i, base::memory_order_relaxed);
  }
  bool try_push(unsigned item) {
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
  bool push(unsigned item) { return try_push(item); }
  std::optional<unsigned> try_pop() {  // by one thread
    Slot& slot = slots_[head_ % capacity_];
    if (slot.turn.load(base::memory_order_acquire) != head_ + 1) return std::nullopt;
    const unsigned item = slot.item;
    slot.turn.store(head_ + capacity_, base::memory_order_release);
    ++head_;
    return item;
  }
  std::size_t size_hint() const { return tail_.load(base::memory_order_relaxed) - head_; }

 private:
  struct Slot {
    base::atomic<std::uint64_t> turn{0};
    unsigned item = 0;
  };
  std::size_t capacity_;
  std::vector<Slot> slots_;
  base::atomic<std::uint64_t> tail_{0};
  std::uint64_t head_ = 0;
};

// A full ring of two; two threads try to push one more each while a third pops both.
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

TEST(Model, Q4Q12Q15TheSpscRingLosesNeitherItemsNorWakeUps) {
  expect_clean(explore([] { return passing(1, false); }, 2));
  expect_clean(explore([] { return passing(2, false); }, 2));
  expect_clean(explore([] { return passing(2, true); }, 2));
  expect_clean(explore(batches, 2));
}

TEST(Model, Q12FindsASleeperThatLeavesTheProducersStoreBehind) {
  const Bugs bugs{.fences_do_nothing = true};
  EXPECT_GT(explore([] { return passing(1, false); }, 2, bugs).deadlocked, 0U);
  EXPECT_GT(explore([] { return passing(2, true); }, 2, bugs).deadlocked, 0U);
}

TEST(Model, Q4Q8Q15TheMpmcRingTakesEachOnce) {
  expect_clean(explore([] { return tries(1); }, 2));
  expect_clean(explore([] { return tries(2); }, 2));
  expect_clean(explore(overfull<MpmcRing<unsigned>>, 2));
}

TEST(Model, Q12TheMpmcRingLosesNoWakeUp) {
  expect_clean(explore([] { return tickets(1); }, 3));
  expect_clean(explore([] { return tickets(2); }, 1));
}

TEST(Model, ClosingTheMpmcRingLosesNoneThatWentIn) {
  expect_clean(explore([] { return closing(true); }, 2));
  expect_clean(explore([] { return closing(false); }, 2));
}

TEST(Model, FindsATicketThatIsTakenWithoutComparing) {
  const Bugs bugs{.exchanges_always_win = true};
  EXPECT_GT(explore([] { return tries(2); }, 2, bugs).wrong, 0U);
}

TEST(Model, Q12FindsATicketWhoseSleeperLeavesAStoreBehind) {
  const Bugs bugs{.fences_do_nothing = true};
  EXPECT_GT(explore([] { return tickets(1); }, 2, bugs).deadlocked, 0U);
}

TEST(Model, Q2FindsATicketThatIsGivenBack) {
  EXPECT_GT(explore(overfull<UnclaimingRing>, 4).wrong, 0U);
}

}  // namespace
}  // namespace fathom::rt
