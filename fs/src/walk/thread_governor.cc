// ThreadGovernor: compares runnable time with wall time; see docs/decisions/0002-thread-rule.md.

#include "walk/thread_governor.h"

#include <algorithm>
#include <utility>

namespace fathom::fs {

namespace {

constexpr double kBusy = 0.7;
// Seconds. Shorter ones are inaccurate: a thread in the run queue is accounted for when it leaves
// it.
constexpr double kInterval = 0.05;

}  // namespace

ThreadGovernor::ThreadGovernor(std::function<void(unsigned)> grow, unsigned threads, unsigned limit)
    : grow_(std::move(grow)), cores_(threads), threads_(threads), limit_(limit) {}

void ThreadGovernor::tick() {
  if (threads_ >= limit_) return;
  const double wall = watch_.seconds();
  if (wall - last_wall_ < kInterval) return;
  const double runnable = os::runnable_seconds();
  const double cores = (runnable - last_runnable_) / (wall - last_wall_);
  if (cores >= 0 && cores < kBusy * static_cast<double>(cores_)) {
    threads_ = std::min(4 * threads_, limit_);
    grow_(threads_);
  }
  last_runnable_ = runnable;
  last_wall_ = wall;
}

}  // namespace fathom::fs
