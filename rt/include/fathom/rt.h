// The whole runtime in one include. Each header says what it gives, and stands by itself too.
//
//   deques and queues     deque.h  spsc_ring.h  mpmc_ring.h  two_lock_queue.h  mpsc_queue.h
//   tasks                 executor.h  task_group.h  task.h  concurrency.h  signals_blocked.h
//   sleeping and waking   event_count.h  light_event_count.h
//   stopping and timing   cancel.h  ticker.h

#pragma once

#include "fathom/rt/cancel.h"             // IWYU pragma: export
#include "fathom/rt/concurrency.h"        // IWYU pragma: export
#include "fathom/rt/deque.h"              // IWYU pragma: export
#include "fathom/rt/event_count.h"        // IWYU pragma: export
#include "fathom/rt/executor.h"           // IWYU pragma: export
#include "fathom/rt/light_event_count.h"  // IWYU pragma: export
#include "fathom/rt/mpmc_ring.h"          // IWYU pragma: export
#include "fathom/rt/mpsc_queue.h"         // IWYU pragma: export
#include "fathom/rt/signals_blocked.h"    // IWYU pragma: export
#include "fathom/rt/spsc_ring.h"          // IWYU pragma: export
#include "fathom/rt/task.h"               // IWYU pragma: export
#include "fathom/rt/task_group.h"         // IWYU pragma: export
#include "fathom/rt/ticker.h"             // IWYU pragma: export
#include "fathom/rt/two_lock_queue.h"     // IWYU pragma: export
