// The cost of a profiled mutex compared with a std::mutex, without and with contention.
//
// diag/mutex/uncontended/CONTENDER is the time of a lock and an unlock by one thread, with an
// increment in between. diag/mutex/two_threads/CONTENDER is the same by two threads at the same
// time, per pair of calls. "held_always" is a profiled mutex that measures each hold, which shows
// what sampling saves. Run it with --benchmark_enable_random_interleaving.

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "diag/questions.h"
#include "fathom/base/clock.h"
#include "fathom/diag/lock_report.h"
#include "fathom/diag/profiled_mutex.h"
#include "rt/start_line.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

constexpr std::uint64_t kLocks = 100'000;

using HeldAlways = diag::BasicProfiledMutex<base::MonotonicClock, 1>;

template <class Mutex>
void increment(Mutex& mutex, std::uint64_t& counter) {
  for (std::uint64_t i = 0; i < kLocks; ++i) {
    const std::lock_guard lock(mutex);
    ++counter;
    benchmark::ClobberMemory();
  }
}

template <class Mutex>
void measure_uncontended(benchmark::State& state) {
  Mutex mutex;
  for (auto unused : state) {
    std::uint64_t counter = 0;
    benchmark::DoNotOptimize(&counter);
    increment(mutex, counter);
    if (counter != kLocks) return fail(state, "an increment was lost");
  }
  count_operations(state, kLocks);
}

template <class Mutex>
void measure_two_threads(benchmark::State& state) {
  Mutex mutex;
  for (auto unused : state) {
    std::uint64_t counter = 0;
    StartLine line(2);
    std::array<StartLine::TimePoint, 2> ends;
    const auto run = [&](std::size_t which) {
      line.cross();
      increment(mutex, counter);
      ends[which] = base::monotonic_now();
    };
    std::thread other([&] { run(1); });
    run(0);
    other.join();
    const std::chrono::duration<double> taken = std::max(ends[0], ends[1]) - line.opened();
    state.SetIterationTime(taken.count());
    if (counter != 2 * kLocks) return fail(state, "an increment was lost");
  }
  count_operations(state, 2 * kLocks);
}

template <class Mutex>
void add_contender(const std::string& name) {
  add("diag/mutex/uncontended/" + name, measure_uncontended<Mutex>);
  add("diag/mutex/two_threads/" + name, measure_two_threads<Mutex>)->UseManualTime();
}

}  // namespace

void add_mutexes() {
  add_contender<std::mutex>("std_mutex");
  add_contender<diag::ProfiledMutex>("fathom");
  add_contender<HeldAlways>("held_always");
}

}  // namespace fathom::bench
