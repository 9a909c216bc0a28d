// StartLine: a barrier at the start of a run, so that starting threads is not measured.
//
//   StartLine line(3);
//   line.cross();     // called by each of the three; returns when all have come
//   line.opened();    // the time when all had come

#pragma once

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "rt/backoff.h"

namespace fathom::bench {

class StartLine {
 public:
  using TimePoint = base::MonotonicClock::time_point;

  explicit StartLine(unsigned threads) : awaited_(threads) {}

  void cross() noexcept {
    // [B1] acq_rel: pairs with itself: what all threads did before is visible after the line.
    if (awaited_.fetch_sub(1, base::memory_order_acq_rel) == 1) {
      opened_ = base::monotonic_now();
      open_.store(true, base::memory_order_release);  // [B2] pairs with the acquire below
      return;
    }
    Backoff backoff;
    while (!open_.load(base::memory_order_acquire)) backoff.miss();  // [B2]
  }

  // For threads that have crossed the line, or have joined one that has.
  TimePoint opened() const noexcept { return opened_; }

 private:
  base::atomic<unsigned> awaited_;
  base::atomic<bool> open_{false};
  TimePoint opened_;  // written by the last thread to come
};

}  // namespace fathom::bench
