// TimelineLoopObserver: shows on the timeline how an event loop spends its time: each wait, with
// the number of its events, and each turn after it.
//
//   diag::TimelineLoopObserver observer;
//   loop.observe(&observer);
//
// Each loop needs its own.

#pragma once

#include <cstddef>

#include "fathom/diag/recording.h"
#include "fathom/rt/net/event_loop.h"

namespace fathom::diag {

class TimelineLoopObserver final : public rt::LoopObserver {
 public:
  void wait_begins() noexcept override;
  void wait_ends(std::size_t events) noexcept override;
  void turn_ends() noexcept override;

 private:
  // Used by the loop's thread; 0: not in progress, or not recorded.
  Ticks wait_began_ = 0;
  Ticks turn_began_ = 0;
};

}  // namespace fathom::diag
