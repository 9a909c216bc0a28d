// Requests: how long requests take that arrive at fixed times, whether or not earlier ones have
// ended, as at a server.
//
//   add_requests<Workers>("fathom");
//
// A contender has kThreads threads besides the one that uses it:
//
//   contender.request(f);       // makes one of its threads call f, and returns
//   contender.fork(f, g);       // within f: calls both, possibly concurrently
//   contender.finish();         // waits until all requests have ended, and runs none of them

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/clock.h"
#include "rt/suite.h"
#include "sched/traversal.h"

namespace fathom::bench {

using std::chrono::microseconds;

// A request waits for `before`, and then for `left` and `right` at the same time if two threads are
// free. All waits are sleeps, so the load of the machine hardly matters.
struct Load {
  const char* name;
  microseconds before;
  microseconds left;
  microseconds right;
  microseconds period;
};

inline constexpr std::size_t kRequests = 300;
inline constexpr Load kLoads[] = {
    {"long_pause", microseconds(3000), microseconds(1000), microseconds(3000), microseconds(5000)},
    {"long_first", microseconds(3000), microseconds(3000), microseconds(1000), microseconds(5000)},
    {"even", microseconds(2000), microseconds(2000), microseconds(3000), microseconds(4500)},
    {"even_first", microseconds(2000), microseconds(3000), microseconds(2000), microseconds(4500)},
    {"busy", microseconds(2000), microseconds(1000), microseconds(2000), microseconds(3300)},
    {"busy_first", microseconds(2000), microseconds(2000), microseconds(1000), microseconds(3300)},
};

// The time of an iteration is the 99th percentile of the times from when a request was due to
// arrive until it ended.
template <class Contender>
void measure_requests(benchmark::State& state, const Load& load) {
  using Clock = base::MonotonicClock;
  Contender contender;
  std::vector<Clock::duration> took(kRequests);
  for (auto _ : state) {
    const Clock::time_point begin = base::monotonic_now() + load.period;
    for (std::size_t i = 0; i < kRequests; ++i) {
      const Clock::time_point due = begin + i * load.period;
      std::this_thread::sleep_until(due);
      contender.request([&, i, due] {
        std::this_thread::sleep_for(load.before);
        contender.fork([&] { std::this_thread::sleep_for(load.left); },
                       [&] { std::this_thread::sleep_for(load.right); });
        took[i] = base::monotonic_now() - due;
      });
    }
    contender.finish();
    std::sort(took.begin(), took.end());
    if (took.front() < load.before + std::max(load.left, load.right)) {
      fail(state, "a request ended too early");
    }
    state.SetIterationTime(std::chrono::duration<double>(took[kRequests * 99 / 100]).count());
  }
  count_operations(state, 1);
}

template <class Contender>
void add_requests(const std::string& contender) {
  for (const Load& load : kLoads) {
    add(std::string("sched/requests/") + load.name + '/' + contender,
        [&load](benchmark::State& state) { measure_requests<Contender>(state, load); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace fathom::bench
