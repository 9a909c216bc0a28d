// rt: the whole runtime in one include, except the Linux-only event loops and servers
// (net/reactor.h, net/proactor.h and net/tcp_server.h). Each header can also be included alone.
//
//   tasks                 executor.h  task_group.h  task_result.h  task.h  concurrency.h
//                         signals_blocked.h
//   parallel loops        parallel.h
//   parallel algorithms   parallel_sort.h  parallel_scan.h  parallel_pipeline.h
//   tasks in an order     task_graph.h
//   deques and queues     deque.h  spsc_ring.h  mpmc_ring.h  two_lock_queue.h  mpsc_queue.h
//   sleeping and waking   event_count.h  light_event_count.h
//   stopping and timing   cancel.h  ticker.h
//   stored functions      unique_function.h
//
// Headers in detail/ are for the others, and may change at any time.
//
// Which tasks to use:
//
//   to do                                         use                   exceptions  stops early
//   two or more things at once                    fork_join()           rethrown    no
//   something for each index of a range           parallel_for()        rethrown    CancelToken
//   ... and combine the results                   parallel_reduce()     rethrown    CancelToken
//   ... and need each partial result              parallel_*_scan()     rethrown    CancelToken
//   sort a range                                  parallel_sort()       rethrown    CancelToken
//   pass items through stages                     parallel_pipeline()   rethrown    CancelToken
//   what turns up, then wait for all of it        TaskGroup             rethrown    CancelToken
//   a set of functions in an order, repeatedly    TaskGraph             rethrown    CancelToken
//   something that nobody waits for               Executor::submit()    forbidden   no
//
// All of them run on the threads of an Executor. For tasks whose order emerges while they run, in
// the caller's memory and on the caller's threads, without locks or allocation, or in C, use
// sched/task_scheduler.h, a part of its own, whose tasks an Executor can run as well.
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
// push_until() and pop_until() wait until a deadline, or until a CancelToken is cancelled. Needs
// C++20.

#pragma once

#include "fathom/rt/cancel.h"             // IWYU pragma: export
#include "fathom/rt/concurrency.h"        // IWYU pragma: export
#include "fathom/rt/deque.h"              // IWYU pragma: export
#include "fathom/rt/event_count.h"        // IWYU pragma: export
#include "fathom/rt/executor.h"           // IWYU pragma: export
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
#include "fathom/rt/task_result.h"        // IWYU pragma: export
#include "fathom/rt/ticker.h"             // IWYU pragma: export
#include "fathom/rt/two_lock_queue.h"     // IWYU pragma: export
#include "fathom/rt/unique_function.h"    // IWYU pragma: export
