// The hot path of the event count: see hot_paths.cc. It is compiled in rt/src and checked there.

#include "../../src/event_count.cc"

// locked: 2 (the fence; the epoch, if a thread waits)
// calls: syscall
// fathom::rt::EventCount::notify(int threads)

// locked: 0
// calls: fathom::rt::EventCount::notify
// fathom::rt::EventCount::notify_one()
