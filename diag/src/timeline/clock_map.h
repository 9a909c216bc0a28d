// ClockMap: converts times of the processor's counter to the monotonic clock.
//
// Both clocks are read together from time to time. A time between two readings is interpolated
// linearly, so the order of events is preserved, and the error does not grow with time.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/diag/recording.h"

namespace fathom::diag {

class ClockMap {
 public:
  // Reads both clocks, on the timeline's threads.
  explicit ClockMap(Recording::State state);

  // Reads them again. Times until now can then be converted.
  void read();
  // Adds a given reading, for tests.
  void add(Ticks ticks, std::uint64_t nanoseconds);

  // Since the first reading; 0 for earlier times. Times after the last reading are extrapolated.
  [[nodiscard]] std::uint64_t nanoseconds(Ticks ticks) const noexcept;
  // The same for a time of the monotonic clock.
  [[nodiscard]] std::uint64_t of_monotonic(std::uint64_t nanoseconds) const noexcept {
    return nanoseconds < start_ ? 0 : nanoseconds - start_;
  }
  [[nodiscard]] bool is_before(Ticks ticks) const noexcept { return ticks < points_.front().ticks; }

 private:
  struct Point {
    Ticks ticks;
    std::uint64_t nanoseconds;
    double rate;  // nanoseconds per tick, from here to the next point
  };

  Recording::State state_;
  std::uint64_t start_ = 0;    // of the monotonic clock
  std::vector<Point> points_;  // in ascending order of ticks
};

}  // namespace fathom::diag
