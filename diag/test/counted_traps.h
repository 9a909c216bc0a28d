// CountedTraps: counts SIGTRAP instead of letting it end the program, while the object lives.

#pragma once

#include <csignal>

#include "fathom/base/atomic.h"

namespace fathom::diag {

class CountedTraps {
 public:
  CountedTraps() {
    count_.store(0, base::memory_order_relaxed);
    struct sigaction counting = {};
    counting.sa_handler = [](int) { count_.fetch_add(1, base::memory_order_relaxed); };
    ::sigaction(SIGTRAP, &counting, &before_);
  }
  ~CountedTraps() { ::sigaction(SIGTRAP, &before_, nullptr); }
  CountedTraps(const CountedTraps&) = delete;
  CountedTraps& operator=(const CountedTraps&) = delete;

  [[nodiscard]] static int count() { return count_.load(base::memory_order_relaxed); }

 private:
  static constinit inline base::atomic<int> count_{0};
  struct sigaction before_ = {};
};

}  // namespace fathom::diag
