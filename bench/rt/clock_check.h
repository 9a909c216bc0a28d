// ClockCheck: a hand-written timer check: reads the steady clock at each call.

#pragma once

#include <chrono>
#include <cstdint>

#include "fathom/base/clock.h"

namespace fathom::bench {

class ClockCheck {
 public:
  explicit ClockCheck(std::chrono::nanoseconds period)
      : period_(period), next_(base::MonotonicClock::now() + period) {}

  bool tick() {
    if (base::MonotonicClock::now() < next_) return false;
    next_ += period_;
    return true;
  }
  std::uint64_t missed() const { return 0; }  // each due time gets a tick, possibly late

 private:
  std::chrono::nanoseconds period_;
  base::MonotonicClock::time_point next_;
};

}  // namespace fathom::bench
