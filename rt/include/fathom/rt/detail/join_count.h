// JoinCount: tells which of several threads arrives last, in any number of rounds.
//
// A round expects a fixed number of arrivals. The last arrival sees what the others did before they
// arrived, and finds the count reset for the next round. The arrivals of a round must come after
// the last arrival of the previous round: the thread that arrived last starts whatever leads to
// them.
//
//   JoinCount parts;
//   parts.expect(2);
//   ...
//   if (parts.arrive()) join_what_both_have_made();  // in one of two threads

#pragma once

#include <cstddef>

#include "fathom/base/atomic.h"

namespace fathom::rt::detail {

class JoinCount {
 public:
  // Sets the arrivals per round, at least one. No thread may arrive during this call or reset().
  void expect(std::size_t arrivals) noexcept {
    expected_ = arrivals;
    reset();
  }

  // Discards the arrivals of an abandoned round.
  void reset() noexcept { left_.store(expected_, base::memory_order_relaxed); }

  // Whether this is the last arrival of the round.
  bool arrive() noexcept {
    // If only this arrival is left, a load suffices: a thread that is expected alone never pays for
    // more.
    // [N1] acquire in both: the last arrival sees what the others released when they arrived.
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

}  // namespace fathom::rt::detail
