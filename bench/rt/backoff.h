// Backoff: how all contenders wait that cannot sleep: spin a little, then let others run.
//
//   Backoff backoff;
//   while (!queue.try_push(item)) backoff.miss();

#pragma once

#include <thread>

#include "fathom/base/atomic.h"

namespace fathom::bench {

class Backoff {
 public:
  void miss() noexcept {
    if (misses_ < kSpins) {
      ++misses_;
      base::cpu_relax();
    } else {
      std::this_thread::yield();
    }
  }

 private:
  // Some microseconds where a pause is long. Without the yield whoever waits for a thread that is
  // not running would spend a whole time slice on it, and there are more threads than processors.
  static constexpr int kSpins = 64;

  int misses_ = 0;
};

}  // namespace fathom::bench
