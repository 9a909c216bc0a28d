// Suite: registration and the list of failed cases.

#include "rt/suite.h"

namespace fathom::bench {

namespace {

bool any_failed = false;

}  // namespace

void count_operations(benchmark::State& state, std::uint64_t in_one_iteration) {
  const auto operations =
      static_cast<double>(state.iterations()) * static_cast<double>(in_one_iteration);
  state.SetItemsProcessed(static_cast<std::int64_t>(operations));
  state.counters["per_op"] =
      benchmark::Counter(operations, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void fail(benchmark::State& state, const std::string& why) {
  any_failed = true;
  state.SkipWithError(why.c_str());
}

bool all_right() {
  return !any_failed;
}

}  // namespace fathom::bench
