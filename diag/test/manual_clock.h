// ManualClock: a clock that advances only when a test calls pass().

#pragma once

#include <chrono>

#include "fathom/base/atomic.h"

namespace fathom::diag {

struct ManualClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ManualClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    return time_point(duration(ns_.load(base::memory_order_relaxed)));
  }
  static void pass(std::chrono::nanoseconds time) noexcept {
    ns_.fetch_add(time.count(), base::memory_order_relaxed);
  }

 private:
  static inline base::atomic<std::int64_t> ns_{1'000'000'000};
};

}  // namespace fathom::diag
