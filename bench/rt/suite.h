// What the questions to the runtime share: how a case is registered, counted and found wrong.
//
//   add("rt/cancel/check/fathom", [](benchmark::State& state) { ... });

#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>

namespace fathom::bench {

// What all queues and deques carry.
using Item = std::uint64_t;

template <class Function>
benchmark::internal::Benchmark* add(const std::string& name, Function&& function) {
  return benchmark::RegisterBenchmark(name.c_str(), std::forward<Function>(function));
}

// Says how many operations one iteration had: items per second, and the counter per_op, in seconds,
// which the console shows as 3.4ns. Both are of the time that the case is measured by.
void count_operations(benchmark::State& state, std::uint64_t in_one_iteration);

// The contender did not do its work: it has an error and no time, and the program exits with 1.
void fail(benchmark::State& state, const std::string& why);

// Whether nothing failed so far.
bool all_right();

// The questions, each with Fathom's answer and the naive ones.
void add_deque();
void add_thieves();
void add_counters();
void add_queues();
void add_mailboxes();
void add_executor();
void add_cancel();
void add_tick();
void add_loop();

// The peers, each with all questions that it can answer. Defined where the peer is installed.
void add_boost();
void add_atomic_queue();
void add_moodycamel();
void add_readerwriterqueue();
void add_tbb();

}  // namespace fathom::bench
