// The deque: the cost of a push and a pop for its owner, without thieves.

#include <string>

#include "rt/atomic_stack.h"
#include "rt/fathom_deque.h"
#include "rt/mutex_deque.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

// Pushes 1 to count and pops them; checks that they come back in reverse order.
template <class Deque>
bool fill_and_drain(Deque& deque, Item count) {
  bool right = true;
  for (Item item = 1; item <= count; ++item) deque.push(item);
  benchmark::ClobberMemory();
  for (Item item = count; item >= 1; --item) right &= deque.pop() == item;
  benchmark::ClobberMemory();
  return right;
}

void check_order(benchmark::State& state, bool right) {
  if (!right) fail(state, "the newest item did not come first");
}

// Includes construction and growth.
template <class Deque>
void measure_fresh(benchmark::State& state, Item count) {
  bool right = true;
  for (auto _ : state) {
    Deque deque;
    right &= fill_and_drain(deque, count);
  }
  check_order(state, right);
  count_operations(state, 2 * count);
}

template <class Deque>
void measure_steady(benchmark::State& state, Item count) {
  Deque deque;
  bool right = fill_and_drain(deque, count);
  for (auto _ : state) right &= fill_and_drain(deque, count);
  check_order(state, right);
  count_operations(state, 2 * count);
}

template <class Deque>
void add_fresh(const std::string& contender) {
  for (const Item count : {64U, 512U, 4096U}) {
    add("rt/deque/fresh/" + contender + '/' + std::to_string(count),
        [count](benchmark::State& state) { measure_fresh<Deque>(state, count); });
  }
}

template <class Deque>
void add_steady(const std::string& contender) {
  for (const Item count : {64U, 512U, 4096U}) {
    add("rt/deque/steady/" + contender + '/' + std::to_string(count),
        [count](benchmark::State& state) { measure_steady<Deque>(state, count); });
  }
}

}  // namespace

void add_deque() {
  add_fresh<FathomDeque>("fathom");
  add_fresh<MutexDeque>("mutex");
  add_steady<FathomDeque>("fathom");
  add_steady<MutexDeque>("mutex");
  add_steady<FenceFloor>("fence_floor");
  add_steady<PlainStack>("plain_stack");
}

}  // namespace fathom::bench
