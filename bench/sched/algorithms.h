// Algorithms: parallel algorithms on data that each iteration prepares again, which is not
// measured.
//
//   add_sorts<Workers>("fathom");
//
// A contender has kThreads threads, possibly including this one, and is used by one thread:
//
//   contender.enter(f);            // calls f where the algorithms cost least; returns after that
//   contender.sort(first, last);   // in ascending order
//   contender.scan(in, out, zero, add);    // inclusive, of one vector to another of the same size
//   contender.pipeline(slots, make, change, take);   // one item at a time in the order in which
//                                  // they are made, except change(), which is called concurrently

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "fathom/base/clock.h"
#include "rt/suite.h"
#include "sched/loops.h"

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

// Three by three numbers. Their product, modulo 2^64, takes some ten nanoseconds.
struct Matrix {
  std::array<std::uint64_t, 9> cells{1, 0, 0, 0, 1, 0, 0, 0, 1};
  friend bool operator==(const Matrix&, const Matrix&) = default;
  friend Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix product;
    for (std::size_t row = 0; row < 9; row += 3) {
      for (std::size_t column = 0; column < 3; ++column) {
        product.cells[row + column] = a.cells[row] * b.cells[column] +
                                      a.cells[row + 1] * b.cells[column + 3] +
                                      a.cells[row + 2] * b.cells[column + 6];
      }
    }
    return product;
  }
};

inline std::vector<Matrix> random_matrices(std::size_t n) {
  const std::vector<std::uint64_t> numbers = random_numbers(9 * n, 1ULL << 60U);
  std::vector<Matrix> matrices(n);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(&numbers[9 * i], 9, matrices[i].cells.begin());
  return matrices;
}

template <class Contender, class T, class Add>
void measure_scan(benchmark::State& state, const std::vector<T>& in, const T& zero,
                  const Add& add) {
  Contender contender;
  std::vector<T> expected(in.size());
  std::inclusive_scan(in.begin(), in.end(), expected.begin(), add);
  std::vector<T> out(in.size());
  measure_alone(
      state, contender, [&] { std::fill(out.begin(), out.end(), zero); },
      [&] { contender.scan(in, out, zero, add); });
  if (out != expected) fail(state, "these are not the sums");
  count_operations(state, in.size());
}

template <class Contender>
void add_scans(const std::string& contender) {
  add("sched/scan_numbers/" + contender, [](benchmark::State& state) {
    measure_scan<Contender>(state, random_numbers(1'000'000, 1ULL << 60U), std::uint64_t{0},
                            std::plus<>());
  })->UseManualTime();
  add("sched/scan_matrices/" + contender, [](benchmark::State& state) {
    measure_scan<Contender>(state, random_matrices(100'000), Matrix(), std::multiplies<>());
  })->UseManualTime();
}

struct Packet {
  std::uint32_t number = 0;
  std::uint32_t value = 0;
};

template <class Contender>
void measure_pipeline(benchmark::State& state, std::uint32_t packets, std::uint32_t steps) {
  Contender contender;
  std::vector<std::uint32_t> expected(packets);
  for (std::uint32_t i = 0; i < packets; ++i) expected[i] = compute(i, steps);
  std::vector<Packet> slots(16);
  std::uint32_t made = 0;
  std::uint32_t taken = 0;
  bool right = true;
  measure_alone(
      state, contender, [&] { made = taken = 0; },
      [&] {
        contender.pipeline(
            slots,
            [&](Packet& packet) {
              packet.number = made;
              return made++ != packets;
            },
            [&](Packet& packet) { packet.value = compute(packet.number, steps); },
            [&](Packet& packet) {
              right = right && taken < packets && packet.number == taken &&
                      packet.value == expected[taken];
              ++taken;
            });
        right = right && taken == packets;
      });
  if (!right) fail(state, "the packets are wrong or not in order, or not all have passed");
  count_operations(state, packets);
}

template <class Contender>
void add_pipelines(const std::string& contender) {
  add("sched/pipeline_light/" + contender, [](benchmark::State& state) {
    measure_pipeline<Contender>(state, 100'000, 1);
  })->UseManualTime();
  add("sched/pipeline_heavy/" + contender, [](benchmark::State& state) {
    measure_pipeline<Contender>(state, 1000, 10'000);
  })->UseManualTime();
}

}  // namespace fathom::bench
