// The scheduler on the model checker's atomics.

// NOLINTBEGIN(bugprone-suspicious-include): other atomics
#include "../../src/task_scheduler.cc"
#include "../../src/scheduler/copy.cc"
#include "../../src/scheduler/cycle.cc"
#include "../../src/scheduler/memory.cc"
// NOLINTEND(bugprone-suspicious-include)
