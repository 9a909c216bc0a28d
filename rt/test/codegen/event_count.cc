// The event count's hot path: see hot_paths.cc. It is in a source, so it is looked at where it is.

#include "../../src/event_count.cc"

// locked: 2 (the fence; the epoch, where somebody waits)
// calls: syscall
// fathom::rt::EventCount::notify(int threads)

// locked: 0
// calls: fathom::rt::EventCount::notify
// fathom::rt::EventCount::notify_one()
