// Suite: registering cases, counting operations and reporting errors, for all benchmarks of the
// runtime.
//
//   add("rt/cancel/check/fathom", [](benchmark::State& state) { ... });

#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>

namespace fathom::bench {

// The items of all queues and deques.
using Item = std::uint64_t;

template <class Function>
benchmark::internal::Benchmark* add(const std::string& name, Function&& function) {
  return benchmark::RegisterBenchmark(name.c_str(), std::forward<Function>(function));
}

// Sets the number of operations per iteration: items per second, and the counter per_op in seconds,
// which the console shows as 3.4ns. Both use the time by which the case is measured.
void count_operations(benchmark::State& state, std::uint64_t in_one_iteration);

// The contender failed: the case gets an error and no time, and the program exits with 1.
void fail(benchmark::State& state, const std::string& why);

// Whether no case has failed so far.
bool all_right();

// The main() of the program `name`: adds the cases, runs those that the arguments choose, and
// returns the exit code.
int run_suite(const char* name, int argc, char** argv, void (*add_all)());

// The cases, each with Fathom's contender and the naive ones.
void add_deque();
void add_thieves();
void add_counters();
void add_queues();
void add_locks();
void add_mailboxes();
void add_executor();
void add_cancel();
void add_tick();
void add_loop();

// The peers, each with all cases that it supports. Defined if the peer is installed.
void add_boost();
void add_atomic_queue();
void add_moodycamel();
void add_readerwriterqueue();
void add_tbb();

}  // namespace fathom::bench
