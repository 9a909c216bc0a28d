// Timers: the cost of timers that never expire, like those of connections: set, and cancelled soon.
//
// A contender holds a fixed number of timers. An iteration cancels the oldest one and sets another
// for some seconds later. At the end all must be set, and none may have been called.

#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "rt/suite.h"

namespace fathom::bench {

void add_timers();
// Defined if the library is installed.
void add_asio_timers();
void add_libuv_timers();

// Delays that are longer than any run, in random order.
class Delays {
 public:
  std::chrono::milliseconds next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's, MMIX
    return std::chrono::hours(1) + std::chrono::milliseconds(state_ >> 49);
  }

 private:
  std::uint64_t state_ = 1;
};

// The interface: Contender(count) holds that many places; set(place, delay), cancel(place), and
// is_right(): all are set and none was called.
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
