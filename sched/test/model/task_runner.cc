// The runner, compiled with the checker's atomics.

#include "../../src/task_runner.cc"  // NOLINT(bugprone-suspicious-include): compiled with other atomics
