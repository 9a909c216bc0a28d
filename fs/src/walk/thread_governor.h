// ThreadGovernor: adds threads while the existing ones mostly wait.
//
// A disk serves many requests at the same time, whereas with a warm page cache more threads than
// cores do not help. An idle processor is not a reliable sign of waiting, because other programs
// use it as well.

#pragma once

#include <functional>

#include "fathom/base/clock.h"
#include "os/os.h"

namespace fathom::fs {

// Used by one thread, which calls tick() every ten milliseconds or so.
class ThreadGovernor {
 public:
  // The most threads that wait for a slow disk. Measured: docs/decisions/0002-thread-rule.md.
  static constexpr unsigned kMostThreads = 32;

  // Calls grow() with a number between `threads`, the current number, and the limit.
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
