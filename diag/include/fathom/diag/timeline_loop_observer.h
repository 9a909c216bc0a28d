// TimelineLoopObserver: shows on the timeline how an event loop spends its time: each wait, with
// the number of events that it brought, and each turn that follows.
//
//   diag::TimelineLoopObserver observer;
//   loop.observe(&observer);
//
// One for each loop.

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
  // The loop's thread's; 0: not under way, or not recorded.
  Ticks wait_began_ = 0;
  Ticks turn_began_ = 0;
};

}  // namespace fathom::diag
