// Pacer: limits the operations of all threads to a rate.
//
// Operations take numbered slots; the k-th slot is k/rate seconds after the start. In the long run
// the rate is exact, however late each caller comes. A late caller finds unused slots, up to kBurst
// of them in time; older ones are lost, so that an idle hour is not followed by a burst.
//
//   std::chrono::nanoseconds when = pacer.take(now);   // wait until then, then continue

#pragma once

#include <chrono>
#include <cstdint>

#include "fathom/base/mutex.h"

namespace fathom::fs {

class Pacer {
 public:
  static constexpr std::chrono::milliseconds kBurst{20};

  // `rate` operations per second, at least 1. Times are from any monotonic clock.
  Pacer(std::uint64_t rate, std::chrono::nanoseconds start) : rate_(rate), start_(start) {}

  // Takes the next slot and returns its time, which may be before now. Thread-safe.
  [[nodiscard]] std::chrono::nanoseconds take(std::chrono::nanoseconds now);

 private:
  [[nodiscard]] std::chrono::nanoseconds time_of(std::uint64_t place) const;
  [[nodiscard]] std::uint64_t first_place_at(std::chrono::nanoseconds time) const;

  const std::uint64_t rate_;
  const std::chrono::nanoseconds start_;
  base::Mutex mutex_ = base::named_mutex("pacer");
  std::uint64_t next_ = 0;  // the next free slot; guarded by mutex_
};

}  // namespace fathom::fs
