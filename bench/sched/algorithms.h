// Algorithms: parallel algorithms on data that each iteration prepares again, which is not
// measured.
//
//   add_sorts<Workers>("fathom");
//
// A contender has kThreads threads, possibly including this one, and is used by one thread:
//
//   contender.enter(f);            // calls f where the algorithms cost least; returns after that
//   contender.sort(first, last);   // in ascending order

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fathom/base/clock.h"
#include "rt/suite.h"

namespace fathom::bench {

// Measures f(), called within the contender, and the time alone that it takes.
template <class Contender, class Prepare, class F>
void measure_alone(benchmark::State& state, Contender& contender, const Prepare& prepare,
                   const F& f) {
  for (auto _ : state) {
    prepare();
    contender.enter([&] {
      const auto begun = base::monotonic_now();
      f();
      state.SetIterationTime(std::chrono::duration<double>(base::monotonic_now() - begun).count());
    });
  }
}

inline std::vector<std::uint64_t> random_numbers(std::size_t n, std::uint64_t below) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers(n);
  for (std::uint64_t& number : numbers) number = random() % below;
  return numbers;
}

inline std::vector<std::string> random_paths(std::size_t n) {
  std::vector<std::string> paths;
  for (const std::uint64_t number : random_numbers(n, 1'000'000'000)) {
    paths.push_back("/srv/data/" + std::to_string(number % 100) + '/' + std::to_string(number));
  }
  return paths;
}

template <class Contender, class T>
void measure_sort(benchmark::State& state, const std::vector<T>& unsorted) {
  Contender contender;
  std::vector<T> expected = unsorted;
  std::sort(expected.begin(), expected.end());
  std::vector<T> sorted;
  measure_alone(
      state, contender, [&] { sorted = unsorted; },
      [&] { contender.sort(sorted.begin(), sorted.end()); });
  if (sorted != expected) fail(state, "the elements are not sorted");
  count_operations(state, unsorted.size());
}

template <class Contender>
void add_sorts(const std::string& contender) {
  const auto add_sort = [&](const std::string& question, auto make) {
    add("sched/" + question + '/' + contender,
        [make](benchmark::State& state) { measure_sort<Contender>(state, make()); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  constexpr std::size_t kMany = 1'000'000;
  constexpr std::uint64_t kAny = 1ULL << 60U;
  add_sort("sort_numbers", [] { return random_numbers(kMany, kAny); });
  add_sort("sort_few_values", [] { return random_numbers(kMany, 100); });
  add_sort("sort_in_order", [] {
    auto numbers = random_numbers(kMany, kAny);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  });
  add_sort("sort_paths", [] { return random_paths(200'000); });
  add_sort("sort_small", [] { return random_numbers(10'000, kAny); });
}

}  // namespace fathom::bench
