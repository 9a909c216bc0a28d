// JoinCount: tells the last of several threads that it is the last, over and over.
//
// So many arrivals are expected. Whoever arrives last is told so, sees what the others did before
// they arrived, and finds the count begun anew for the next round. A round's arrivals must come
// after the last one of the round before: whoever was told starts what leads to them.
//
//   JoinCount parts;
//   parts.expect(2);
//   ...
//   if (parts.arrive()) join_what_both_have_made();  // in one of two threads

#pragma once

#include <cstddef>

#include "fathom/base/atomic.h"

namespace fathom::rt {

class JoinCount {
 public:
  // So many arrivals a round, at least one. Nobody may arrive meanwhile, nor during reset().
  void expect(std::size_t arrivals) noexcept {
    expected_ = arrivals;
    reset();
  }

  // Forgets the arrivals of a round that was given up.
  void reset() noexcept { left_.store(expected_, base::memory_order_relaxed); }

  // Whether this is the last arrival of the round.
  bool arrive() noexcept {
    // Where only this arrival is left there is nobody to tell, so a look is enough: whoever is
    // expected alone never pays for more.
    // [N1] acquire in both: the last one sees what the others released as they arrived.
    if (left_.load(base::memory_order_acquire) != 1 &&
        left_.fetch_sub(1, base::memory_order_acq_rel) != 1) {
      return false;
    }
    reset();
    return true;
  }

 private:
  base::atomic<std::size_t> left_{0};  // of this round
  std::size_t expected_ = 0;           // written between rounds
};

}  // namespace fathom::rt
