// The event count, compiled with the checker's atomics.

#include "../../src/event_count.cc"
