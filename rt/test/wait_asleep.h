// Waits for a group without running its tasks, so that workers run them all.

#pragma once

#include <chrono>

#include "fathom/rt/task_group.h"

namespace fathom::rt {

inline void wait_asleep(TaskGroup& group) {
  // With a deadline, a thread that is not a worker runs nothing that might make it late.
  while (!group.wait_for(std::chrono::hours(1))) {
  }
}

}  // namespace fathom::rt
