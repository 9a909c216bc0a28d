// Two threads, each with its own counter: the cost of placing the counters next to each other.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"
#include "rt/start_line.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

constexpr std::uint64_t kIncrements = 1'000'000;

template <std::size_t alignment>
struct Counter {
  alignas(alignment) base::atomic<std::uint64_t> value{0};
};

template <std::size_t alignment>
class Counters {
 public:
  // Call once. Returns the time until both threads were done.
  std::chrono::duration<double> run() {
    std::thread other([this] { count(1); });
    count(0);
    other.join();
    return std::max(ends_[0], ends_[1]) - line_.opened();
  }

  bool right() const {
    return counters_[0].value.load(base::memory_order_relaxed) == kIncrements &&
           counters_[1].value.load(base::memory_order_relaxed) == kIncrements;
  }

 private:
  void count(std::size_t which) {
    base::atomic<std::uint64_t>& counter = counters_[which].value;
    line_.cross();
    for (std::uint64_t i = 0; i < kIncrements; ++i)
      counter.fetch_add(1, base::memory_order_relaxed);
    ends_[which] = base::monotonic_now();
  }

  // Aligned, so that even the packed counters never span two cache lines.
  alignas(2 * base::kCacheLine) std::array<Counter<alignment>, 2> counters_;
  alignas(2 * base::kCacheLine) StartLine line_{2};
  std::array<StartLine::TimePoint, 2> ends_;
};

template <std::size_t alignment>
void add_contender(const std::string& name) {
  add("rt/counters/two_threads/" + name,
      [](benchmark::State& state) {
        for (auto _ : state) {
          Counters<alignment> counters;
          state.SetIterationTime(counters.run().count());
          if (!counters.right()) {
            fail(state, "an increment was lost");
            break;
          }
        }
        count_operations(state, kIncrements);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void add_counters() {
  add_contender<alignof(std::uint64_t)>("packed");
  add_contender<64>("padded_64");
  add_contender<base::kCacheLine>("padded_128");
}

}  // namespace fathom::bench
