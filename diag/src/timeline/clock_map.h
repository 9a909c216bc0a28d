// ClockMap: what moments by the processor's counter are by the monotonic clock.
//
// Both clocks are read together now and then. Between two such readings a moment is on the line
// through them, so that what came before is never after, and the error does not grow with time.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/diag/recording.h"

namespace fathom::diag {

class ClockMap {
 public:
  // Reads both clocks, as the timeline's own threads do.
  explicit ClockMap(Recording::State state);

  // Reads them again. Moments until now can be told from here on.
  void read();
  // The same of given readings, for tests.
  void add(Ticks ticks, std::uint64_t nanoseconds);

  // Since the first reading; 0 for what was before. What comes after the last one is on the last
  // line.
  [[nodiscard]] std::uint64_t nanoseconds(Ticks ticks) const noexcept;
  [[nodiscard]] bool is_before(Ticks ticks) const noexcept { return ticks < points_.front().ticks; }

 private:
  struct Point {
    Ticks ticks;
    std::uint64_t nanoseconds;
    double rate;  // nanoseconds a tick, from here to the next point
  };

  Recording::State state_;
  std::uint64_t start_ = 0;    // by the monotonic clock
  std::vector<Point> points_;  // ticks rise
};

}  // namespace fathom::diag
