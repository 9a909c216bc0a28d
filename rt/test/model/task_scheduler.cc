// The scheduler on the model checker's atomics.

#include "../../src/task_scheduler.cc"  // NOLINT(bugprone-suspicious-include): other atomics
