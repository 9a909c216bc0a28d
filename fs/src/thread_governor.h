// ThreadGovernor: adds threads while those at work mostly wait.
//
// A disk serves many requests at a time, a page cache has no use for more threads than cores. That
// the processor is idle is no sign of waiting: others may have it.

#pragma once

#include <functional>

#include "fathom/base/clock.h"
#include "os.h"

namespace fathom::fs {

// Used by one thread, which calls tick() every ten milliseconds or so.
class ThreadGovernor {
 public:
  // How many threads wait for a slow disk at most. Measured: docs/decisions/0002-thread-rule.md.
  static constexpr unsigned kMostThreads = 32;

  // Calls grow() with a number above `threads`, which is how many there are, and up to the limit.
  ThreadGovernor(std::function<void(unsigned)> grow, unsigned threads, unsigned limit);

  void tick();

 private:
  const std::function<void(unsigned)> grow_;
  const unsigned cores_;
  unsigned threads_;
  const unsigned limit_;
  const base::Stopwatch watch_;
  double last_runnable_ = os::runnable_seconds();
  double last_wall_ = 0;
};

}  // namespace fathom::fs
