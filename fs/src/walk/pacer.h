// Pacer: lets so many operations a second pass, whoever asks.
//
// Operations have places in a row, the k-th of a second k/rate after its start: in the long run
// there are exactly so many, however late each caller comes. Who comes late finds places unused, up
// to kBurst of them in time; older ones are lost, so that no idle hour is made up for at once.
//
//   std::chrono::nanoseconds when = pacer.take(now);   // wait until then, then go on

#pragma once

#include <chrono>
#include <cstdint>

#include "fathom/base/mutex.h"

namespace fathom::fs {

class Pacer {
 public:
  static constexpr std::chrono::milliseconds kBurst{20};

  // rate operations a second, at least 1. Times are of any one clock that never goes back.
  Pacer(std::uint64_t rate, std::chrono::nanoseconds start) : rate_(rate), start_(start) {}

  // Takes the next place and says when it is, which may be before now. Thread-safe.
  [[nodiscard]] std::chrono::nanoseconds take(std::chrono::nanoseconds now);

 private:
  [[nodiscard]] std::chrono::nanoseconds time_of(std::uint64_t place) const;
  [[nodiscard]] std::uint64_t first_place_at(std::chrono::nanoseconds time) const;

  const std::uint64_t rate_;
  const std::chrono::nanoseconds start_;
  base::Mutex mutex_ = base::named_mutex("pacer");
  std::uint64_t next_ = 0;  // the place that is taken next; guarded by mutex_
};

}  // namespace fathom::fs
