// HotLoop: measures the cost of a check in each iteration of a loop.
//
//   measure_turns(state, [&] { hits += check.cancelled(); });

#pragma once

#include <cstdint>

#include "rt/suite.h"

namespace fathom::bench {

// Iterations per iteration of Google Benchmark, whose own loop then costs nothing.
inline constexpr std::uint64_t kTurns = 1024;

template <class Turn>
void measure_turns(benchmark::State& state, const Turn& turn) {
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < kTurns; ++i) turn();
  }
  count_operations(state, kTurns);
}

}  // namespace fathom::bench
