// Recording: whether a timeline runs, and how its moments are taken. What span.h stands on.

#pragma once

#include <cstdint>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"

namespace fathom::diag {

// A moment by the fastest clock that this machine has. Never 0.
using Ticks = std::uint64_t;

class Recording {
 public:
  // Odd: moments are the processor's counter; even: nanoseconds of the monotonic clock. What is
  // above that bit is the timeline's number. 0: none runs.
  using State = std::uint32_t;

  // The timeline that runs. Orders nothing.
  static State now() noexcept { return state_.load(base::memory_order_relaxed); }

  static Ticks ticks(State state) noexcept {
#ifdef __x86_64__
    if ((state & 1U) != 0) return __builtin_ia32_rdtsc();
#endif
    return static_cast<Ticks>(base::monotonic_now().time_since_epoch().count());
  }

 private:
  friend class Timeline;
  friend void forget_timeline() noexcept;

  static constinit inline base::atomic<State> state_{0};
};

}  // namespace fathom::diag
