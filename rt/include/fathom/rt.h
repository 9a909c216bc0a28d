// rt: the whole runtime in one include, except the Linux-only event loops and servers
// (net/reactor.h, net/proactor.h and net/tcp_server.h). Each header can also be included alone.
//
//   deques and queues     deque.h  spsc_ring.h  mpmc_ring.h  two_lock_queue.h  mpsc_queue.h
//   tasks                 executor.h  task_group.h  task.h  concurrency.h  signals_blocked.h
//   parallel loops        parallel.h  fork.h
//   parallel algorithms   parallel_sort.h  parallel_scan.h  parallel_pipeline.h
//   tasks in an order     task_graph.h
//   sleeping and waking   event_count.h  light_event_count.h
//   joining               join_count.h
//   stopping and timing   cancel.h  ticker.h
//
// Which queue to use:
//
//                 from  to    room       a try fails spuriously           order  how it ends
//   SpscRing      one   one   bounded    never                            FIFO   close()
//   MpmcRing      many  many  bounded    while another call is under way  FIFO   close()
//   TwoLockQueue  many  many  unbounded  never                            FIFO   close()
//   MpscQueue     many  one   unbounded  never                            FIFO   a last item
//
// A WorkStealingDeque serves its owner newest first, and thieves oldest first.
//
// push_until() and pop_until() wait until a deadline. To end a waiting push() or pop() on
// cancellation, let a CancelCallback close() the queue. Needs C++20.

#pragma once

#include "fathom/rt/cancel.h"             // IWYU pragma: export
#include "fathom/rt/concurrency.h"        // IWYU pragma: export
#include "fathom/rt/deque.h"              // IWYU pragma: export
#include "fathom/rt/event_count.h"        // IWYU pragma: export
#include "fathom/rt/executor.h"           // IWYU pragma: export
#include "fathom/rt/fork.h"               // IWYU pragma: export
#include "fathom/rt/join_count.h"         // IWYU pragma: export
#include "fathom/rt/light_event_count.h"  // IWYU pragma: export
#include "fathom/rt/mpmc_ring.h"          // IWYU pragma: export
#include "fathom/rt/mpsc_queue.h"         // IWYU pragma: export
#include "fathom/rt/parallel.h"           // IWYU pragma: export
#include "fathom/rt/parallel_pipeline.h"  // IWYU pragma: export
#include "fathom/rt/parallel_scan.h"      // IWYU pragma: export
#include "fathom/rt/parallel_sort.h"      // IWYU pragma: export
#include "fathom/rt/signals_blocked.h"    // IWYU pragma: export
#include "fathom/rt/spsc_ring.h"          // IWYU pragma: export
#include "fathom/rt/task.h"               // IWYU pragma: export
#include "fathom/rt/task_graph.h"         // IWYU pragma: export
#include "fathom/rt/task_group.h"         // IWYU pragma: export
#include "fathom/rt/ticker.h"             // IWYU pragma: export
#include "fathom/rt/two_lock_queue.h"     // IWYU pragma: export
