// LockfreeEngine: runs the walk in a task group of the executor.

#include "engine/lockfree.h"

namespace fathom::fs {

LockfreeEngine::LockfreeEngine(unsigned threads, unsigned limit, const rt::Observer* observer)
    : executor_({.threads = threads, .max_threads = limit, .observer = observer}) {}

void LockfreeEngine::run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
                         const Tick& tick) {
  for (Work* work : first) group_.submit(*work);
  while (!group_.wait_for(interval)) tick();
}

void LockfreeEngine::spawn(Work& work, unsigned /*worker*/) {
  group_.submit(work);
}

}  // namespace fathom::fs
