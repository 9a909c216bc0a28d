// The heavy fence of the light event count on the checker, with membarrier and without.

#include "fathom/rt/light_event_count.h"

namespace fathom::rt {

// Constructed before any run, so accessing it is not a step.
base::atomic<bool> LightEventCount::asymmetric_{true};

void LightEventCount::enable() noexcept {
  asymmetric_.store(model::has_membarrier(), base::memory_order_relaxed);
}

void LightEventCount::heavy_fence() noexcept {
  if (asymmetric_.load(base::memory_order_relaxed)) {
    model::fence_everywhere();
  } else {
    base::fence(base::memory_order_seq_cst);
  }
}

}  // namespace fathom::rt
