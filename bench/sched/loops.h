// Loops: parallel loops and forks: the cases that need no graph.
//
//   add_loops<Workers>("fathom");
//
// A contender has kThreads threads, possibly including this one, and is used by one thread:
//
//   contender.enter(f);         // calls f where fork() and loop() cost least; returns after that
//   contender.fork(f, g);       // calls both, possibly concurrently; may be nested in both
//   contender.loop(n, f);       // calls f(i) for each i below n
//   contender.start(f);         // makes another thread call f, and returns; not within enter()
//   contender.wait();           // waits until that call has returned

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "rt/suite.h"
#include "sched/traversal.h"

namespace fathom::bench {

inline constexpr unsigned kFib = 25;
inline constexpr std::uint64_t kFibOf25 = 75'025;
inline constexpr std::uint64_t kForks = 121'392;  // of fib(25): one per sum

template <class Contender>
std::uint64_t fib(Contender& contender, unsigned n) {
  if (n < 2) return n;
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  contender.fork([&] { one = fib(contender, n - 1); }, [&] { two = fib(contender, n - 2); });
  return one + two;
}

template <class Contender>
void measure_fib(benchmark::State& state) {
  Contender contender;
  std::uint64_t result = kFibOf25;
  for (auto _ : state) {
    contender.enter([&] { result = fib(contender, kFib); });
    if (result != kFibOf25) break;
  }
  if (result != kFibOf25) fail(state, "that is not the Fibonacci number");
  count_operations(state, kForks);
}

// So many steps of a computation that compilers cannot shorten: about a nanosecond each.
inline std::uint32_t compute(std::uint32_t x, std::uint32_t steps) {
  for (std::uint32_t i = 0; i < steps; ++i) x = x * 1'664'525 + 1'013'904'223;
  return x;
}

// The computation for index i of a loop of n.
using Cost = std::uint32_t (*)(std::size_t i, std::size_t n);
inline std::uint32_t light(std::size_t /*i*/, std::size_t /*n*/) {
  return 1;
}
inline std::uint32_t even(std::size_t /*i*/, std::size_t /*n*/) {
  return 500;
}
inline std::uint32_t rising(std::size_t i, std::size_t n) {
  return static_cast<std::uint32_t>(2000 * i / n);
}
inline std::uint32_t rare(std::size_t i, std::size_t /*n*/) {
  return i % 1024 == 512 ? 200'000 : 10;
}
inline std::uint32_t heavy(std::size_t /*i*/, std::size_t /*n*/) {
  return 1'000'000;
}

enum class From { worker, outside };

template <Cost cost, class Contender>
void measure_loop(benchmark::State& state, std::size_t size, From from) {
  struct Cell {
    std::uint32_t visits = 0;
    std::uint32_t value = 0;
  };
  Contender contender;
  std::vector<Cell> cells(size);
  const auto visit = [&](std::size_t i) {
    ++cells[i].visits;
    cells[i].value = compute(cells[i].value, cost(i, size));
  };
  std::uint32_t runs = 0;
  const auto run = [&] {
    contender.loop(size, visit);
    ++runs;
  };
  contender.enter(run);  // the threads are started
  if (from == From::outside) {
    for (auto _ : state) run();
  } else {
    contender.enter([&] {
      for (auto _ : state) run();
    });
  }
  const auto once = [&](const Cell& cell) { return cell.visits == runs; };
  if (!std::all_of(cells.begin(), cells.end(), once))
    fail(state, "a run did not visit each index once");
  count_operations(state, size);
}

// Measures the time from submitting work until it runs, when all threads have been idle for a
// while. The clock is read on both sides.
template <class Contender>
void measure_wake(benchmark::State& state) {
  Contender contender;
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    base::MonotonicClock::time_point begun;
    const auto submitted = base::monotonic_now();
    contender.start([&] { begun = base::monotonic_now(); });
    contender.wait();
    state.SetIterationTime(std::chrono::duration<double>(begun - submitted).count());
  }
  count_operations(state, 1);
}

template <class Contender>
void add_loops(const std::string& contender) {
  const auto add_loop = [&](const std::string& question, auto measure, std::size_t size,
                            From from) {
    add("sched/" + question + '/' + contender,
        [measure, size, from](benchmark::State& state) { measure(state, size, from); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add_loop("for_light", &measure_loop<&light, Contender>, 1'000'000, From::worker);
  add_loop("for_light_16", &measure_loop<&light, Contender>, 16, From::worker);
  add_loop("for_light_16_outside", &measure_loop<&light, Contender>, 16, From::outside);
  add_loop("for_even_16_outside", &measure_loop<&even, Contender>, 16, From::outside);
  add_loop("for_rising", &measure_loop<&rising, Contender>, 4096, From::worker);
  add_loop("for_rare", &measure_loop<&rare, Contender>, 16'384, From::worker);
  add_loop("makespan", &measure_loop<&heavy, Contender>, kThreads, From::worker);
  add("sched/fork_join_fib/" + contender, &measure_fib<Contender>)
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

template <class Contender>
void add_wake(const std::string& contender) {
  add("sched/wake/" + contender, &measure_wake<Contender>)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace fathom::bench
