// The cost of a whole hot loop: each iteration checks for cancellation and for a timer, and in the
// full version it also sends an item through a queue.

#include <string>

#include "fathom/rt/mpmc_ring.h"
#include "fathom/rt/spsc_ring.h"
#include "fathom/rt/ticker.h"
#include "rt/cancel_checks.h"
#include "rt/checked_ticker.h"
#include "rt/contender.h"
#include "rt/fathom_queues.h"
#include "rt/hot_loop.h"
#include "rt/mutex_queue.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

// The two checks, with the state that they need.
template <class Check, class Ticker>
class Questions {
 public:
  void ask() {
    if (check_.cancelled()) ++hits_;
    ticker_.tick();
  }

  void check(benchmark::State& state) {
    if (hits_ != 0) fail(state, "cancelled unexpectedly");
    if (const std::string complaint = ticker_.complaint(); !complaint.empty()) {
      fail(state, complaint);
    }
    check_.cancel();
    if (!check_.cancelled()) fail(state, "not cancelled after cancel()");
  }

 private:
  Check check_;
  CheckedTicker<Ticker> ticker_;
  std::uint64_t hits_ = 0;
};

template <class Check, class Ticker>
void measure_cancel_tick(benchmark::State& state) {
  Questions<Check, Ticker> questions;
  measure_turns(state, [&] { questions.ask(); });
  questions.check(state);
}

// One thread pushes and pops: the cost of the queue, not of contention.
template <class Check, class Ticker, class Queue>
void measure_full(benchmark::State& state) {
  Questions<Check, Ticker> questions;
  Queue queue(kCapacity);
  Item sent = 0;
  std::uint64_t wrong = 0;
  measure_turns(state, [&] {
    questions.ask();
    Item item = 0;
    if (!queue.try_push(++sent) || !queue.try_pop(item) || item != sent) ++wrong;
  });
  if (wrong != 0) fail(state, std::to_string(wrong) + " items did not come out of the queue");
  questions.check(state);
}

using Spsc = FathomRing<rt::SpscRing<Item>>;
using Mpmc = FathomRing<rt::MpmcRing<Item>>;

}  // namespace

void add_loop() {
  add("rt/loop/cancel_tick/standard", measure_cancel_tick<StopToken, ClockCheck>);
  add("rt/loop/cancel_tick/fathom_batched", measure_cancel_tick<FathomCancel, Batched>);
  add("rt/loop/full/standard", measure_full<StopToken, ClockCheck, MutexQueue>);
  add("rt/loop/full/fathom_batched", measure_full<FathomCancel, Batched, Spsc>);
  add("rt/loop/full/fathom_batched_mpmc", measure_full<FathomCancel, Batched, Mpmc>);
  if (!rt::TscTicker::available()) return;
  add("rt/loop/cancel_tick/fathom_tsc", measure_cancel_tick<FathomCancel, rt::TscTicker>);
  add("rt/loop/full/fathom_tsc", measure_full<FathomCancel, rt::TscTicker, Spsc>);
}

}  // namespace fathom::bench
