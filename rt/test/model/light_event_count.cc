// membarrier on the checker, for the light event count.

#include "fathom/rt/light_event_count.h"

namespace fathom::rt {

bool LightEventCount::has_membarrier() noexcept {
  return model::has_membarrier();
}

void LightEventCount::fence_everywhere() noexcept {
  model::fence_everywhere();
}

}  // namespace fathom::rt
