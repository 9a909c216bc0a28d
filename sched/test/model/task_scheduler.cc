// The scheduler, compiled with the checker's atomics.

// NOLINTBEGIN(bugprone-suspicious-include): compiled with other atomics
#include "../../src/task_scheduler.cc"
#include "../../src/copy.cc"
#include "../../src/cycle.cc"
#include "../../src/scheduler_memory.cc"
// NOLINTEND(bugprone-suspicious-include)
