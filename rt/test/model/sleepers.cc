// Sleepers, compiled with the checker's atomics.

#include "../../src/sleepers.cc"
