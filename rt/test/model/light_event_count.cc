// The heavy fence of the light event count, on the checker.

#include "fathom/rt/light_event_count.h"

namespace fathom::rt {

void LightEventCount::heavy_fence() noexcept {
  model::fence_everywhere();
}

}  // namespace fathom::rt
