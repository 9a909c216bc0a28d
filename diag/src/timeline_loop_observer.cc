// TimelineLoopObserver: waits and turns as spans.

#include "fathom/diag/timeline_loop_observer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "fathom/diag/span.h"

namespace fathom::diag {

void TimelineLoopObserver::wait_begins() noexcept {
  wait_began_ = begin_span();
}

void TimelineLoopObserver::wait_ends(std::size_t events) noexcept {
  const Ticks began = std::exchange(wait_began_, 0);
  if (began != 0) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    record_span("wait", began, static_cast<std::uint32_t>(std::min(events, kMost)));
  }
  turn_began_ = begin_span();
}

void TimelineLoopObserver::turn_ends() noexcept {
  end_span("turn", std::exchange(turn_began_, 0));
}

}  // namespace fathom::diag
