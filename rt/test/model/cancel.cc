// Cancellation, with the checker's atomics and mutex.

#include "model/mutex.h"

#include "../../src/cancel.cc"  // NOLINT(bugprone-suspicious-include): compiled with other atomics
