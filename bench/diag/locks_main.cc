// bench_locks: how long threads wait for each lock of a queue. A separate program, because all its
// locks are profiled (FATHOM_MUTEX_HEADER).
//
// diag/locks/SHAPE/WAITING/LOCKS passes 50,000 items, as rt/locks of bench_rt does. LOCKS says
// whose waits the counters sum up: one_lock, two_locks, or of the latter only the head or the tail.
// The counters are per run: "time_waited" is the sum of the waits of all threads, in milliseconds,
// "waits" their number, and "acquired" how often the locks were taken. The time includes the cost
// of profiling.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/diag/lock_report.h"
#include "rt/locks.h"
#include "rt/suite.h"

namespace fathom::bench {

namespace {

struct Waits {
  std::chrono::duration<double, std::milli> waited{0};
  std::uint64_t waits = 0;
  std::uint64_t acquired = 0;
};

// Of the locks whose names begin so, since the program began.
Waits waits_for(std::string_view locks) {
  Waits sum;
  for (const diag::LockUsage& lock : diag::lock_report().locks) {
    if (!lock.name.starts_with(locks)) continue;
    sum.waited += lock.waited;
    sum.waits += lock.waits;
    sum.acquired += lock.acquisitions;
  }
  return sum;
}

template <class Contender>
void measure_waits(benchmark::State& state, const Plan& plan, std::string_view locks) {
  const Waits before = waits_for(locks);
  measure_transfer<Contender, ReceiptOfMany, Mode::items>(state, plan);
  const Waits after = waits_for(locks);
  if (after.acquired < before.acquired + plan.items()) fail(state, "the locks were not profiled");
  const auto per_run = [&state](const char* name, double value) {
    state.counters[name] = benchmark::Counter(value, benchmark::Counter::kAvgIterations);
  };
  per_run("time_waited", (after.waited - before.waited).count());
  per_run("waits", static_cast<double>(after.waits - before.waits));
  per_run("acquired", static_cast<double>(after.acquired - before.acquired));
}

template <class Contender>
void add_waits(const std::string& name, const Plan& plan, std::string_view locks) {
  add(name,
      [plan, locks](benchmark::State& state) { measure_waits<Contender>(state, plan, locks); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

template <template <class> class Way>
void add_way(const std::string& waiting) {
  for (const unsigned threads : kLockedShapes) {
    const std::string at = "diag/locks/" + locked_shape(threads) + '/' + waiting + '/';
    const Plan plan = locked_plan(threads);
    add_waits<Way<OneLock>>(at + "one_lock", plan, "queue");
    add_waits<Way<TwoLocks>>(at + "two_locks", plan, "queue: ");
    add_waits<Way<TwoLocks>>(at + "head", plan, "queue: head");
    add_waits<Way<TwoLocks>>(at + "tail", plan, "queue: tail");
  }
}

template <class Queue>
using Polling = Polled<Queue>;

void add_all() {
  add_way<Polling>("polled");
  add_way<Blocking>("sleeping");
}

}  // namespace

}  // namespace fathom::bench

int main(int argc, char** argv) {
  return fathom::bench::run_suite("bench_locks", argc, argv, fathom::bench::add_all);
}
