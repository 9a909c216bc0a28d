// Cancellation, on the atomics and the mutex of the checker.

#include "model/mutex.h"

#include "../../src/cancel.cc"  // NOLINT(bugprone-suspicious-include): other atomics
