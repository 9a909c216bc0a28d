// What timers cost that never come due, as those of connections do: set, and cancelled soon.
//
// A contender holds so many timers. An iteration cancels the one that was set longest ago, and sets
// another one for some seconds later, so that their number stays the same. At the end all are
// there, and none was called.

#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "rt/suite.h"

namespace fathom::bench {

void add_timers();
// Defined where the peer is installed.
void add_asio_timers();
void add_libuv_timers();

// Later than any run takes, and in no order.
class Delays {
 public:
  std::chrono::milliseconds next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's, MMIX
    return std::chrono::hours(1) + std::chrono::milliseconds(state_ >> 49);
  }

 private:
  std::uint64_t state_ = 1;
};

// Contender(count) holds that many places; set(place, delay), cancel(place), and is_right(): all
// are set and none was called.
template <class Contender>
void add_timer_contender(const std::string& name) {
  for (const std::size_t count : {100U, 10'000U}) {
    add("net/timers/" + name + '/' + std::to_string(count), [count](benchmark::State& state) {
      Contender contender(count);
      Delays delays;
      for (std::size_t place = 0; place < count; ++place) contender.set(place, delays.next());
      std::size_t oldest = 0;
      for (auto _ : state) {
        contender.cancel(oldest);
        contender.set(oldest, delays.next());
        if (++oldest == count) oldest = 0;
      }
      count_operations(state, 1);
      if (!contender.is_right()) fail(state, "timers were lost, or called too early");
    });
  }
}

}  // namespace fathom::bench
