// The cost of checking whether a timer is due.

#include <string>

#include "fathom/rt/ticker.h"
#include "rt/checked_ticker.h"
#include "rt/hot_loop.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

template <class Ticker>
void measure_check(benchmark::State& state) {
  CheckedTicker<Ticker> ticker;
  measure_turns(state, [&] { ticker.tick(); });
  if (const std::string complaint = ticker.complaint(); !complaint.empty()) fail(state, complaint);
}

template <class Ticker>
void add_check(const std::string& contender) {
  add("rt/tick/check/" + contender, measure_check<Ticker>);
}

}  // namespace

void add_tick() {
  add_check<ClockCheck>("steady_clock");
  add_check<rt::ClockTicker>("fathom_clock");
  add_check<rt::CoarseTicker>("fathom_coarse");
  add_check<Batched>("fathom_batched");
  add_check<BatchedCoarse>("fathom_batched_coarse");
  if (rt::TscTicker::available()) add_check<rt::TscTicker>("fathom_tsc");
}

}  // namespace fathom::bench
