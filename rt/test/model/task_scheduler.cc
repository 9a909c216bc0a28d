// The scheduler, compiled with the checker's atomics.

// NOLINTBEGIN(bugprone-suspicious-include): compiled with other atomics
#include "../../src/task_scheduler.cc"
#include "../../src/scheduler/copy.cc"
#include "../../src/scheduler/cycle.cc"
#include "../../src/scheduler/memory.cc"
// NOLINTEND(bugprone-suspicious-include)
