// The cost of checking for cancellation.

#include <cstdint>
#include <string>

#include "rt/cancel_checks.h"
#include "rt/hot_loop.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

template <class Check>
void measure_check(benchmark::State& state) {
  Check check;
  std::uint64_t hits = 0;
  measure_turns(state, [&] {
    if (check.cancelled()) ++hits;
  });
  if (hits != 0) fail(state, "cancelled unexpectedly");
  check.cancel();
  if (!check.cancelled()) fail(state, "not cancelled after cancel()");
}

template <class Check>
void add_check(const std::string& contender) {
  add("rt/cancel/check/" + contender, measure_check<Check>);
}

}  // namespace

void add_cancel() {
  add_check<FathomCancel>("fathom");
  add_check<RelaxedFlag>("relaxed_load");
  add_check<StopToken>("stop_token");
}

}  // namespace fathom::bench
