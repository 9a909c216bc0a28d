// Recording: whether a timeline runs, and how its times are measured. The basis of span.h.

#pragma once

#include <cstdint>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"

namespace fathom::diag {

// A time by the fastest clock of this machine. Never 0.
using Ticks = std::uint64_t;

class Recording {
 public:
  // Lowest bit 1: times are the processor's counter; 0: nanoseconds of the monotonic clock. The
  // other bits are the number of the timeline. 0: none runs.
  using State = std::uint32_t;

  // The running timeline. Orders nothing.
  static State now() noexcept { return state_.load(base::memory_order_relaxed); }

  static Ticks ticks([[maybe_unused]] State state) noexcept {
#ifdef __x86_64__
    if ((state & 1U) != 0) return __builtin_ia32_rdtsc();
#endif
    return monotonic();
  }

  // In nanoseconds.
  static std::uint64_t monotonic() noexcept {
    return static_cast<std::uint64_t>(base::monotonic_now().time_since_epoch().count());
  }

 private:
  friend class Timeline;
  friend void forget_timeline() noexcept;

  static constinit inline base::atomic<State> state_{0};
};

}  // namespace fathom::diag
