// SerialEngine: a stack of work items on one thread.

#include "engine/serial.h"

#include "engine/team.h"

namespace fathom::fs {

void SerialEngine::run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
                       const Tick& tick) {
  stack_ = first;
  Team team(1, observer_, [this](unsigned worker) {
    while (!stack_.empty()) {
      Work* work = stack_.back();
      stack_.pop_back();
      run_observed(*work, worker, observer_);
    }
  });
  team.wait(interval, tick);
}

void SerialEngine::spawn(Work& work, unsigned /*worker*/) {
  stack_.push_back(&work);
}

}  // namespace fathom::fs
