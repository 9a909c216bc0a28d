// The event count, on the atomics of the checker.

#include "../../src/event_count.cc"
