// Backoff: how all contenders without blocking calls wait: spin briefly, then yield.
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
  // Some microseconds where a pause is long. Without the yield a thread that waits for a suspended
  // thread would waste a whole time slice, and there are more threads than processors.
  static constexpr int kSpins = 64;

  int misses_ = 0;
};

}  // namespace fathom::bench
