// Package queue passes items between goroutines through rings of fixed size.
//
// A channel does that too, and is the place to start: see Channel. The rings are for loops in which
// a channel's lock shows up in the profile. The choice depends on the number of producers and
// consumers:
//
//	SPSC      one producer, one consumer
//	Sharded   many producers, each with its own lane, one consumer; FIFO per producer
//	MPSC      many producers, one consumer, FIFO
//	MPMC      many producers, many consumers, FIFO
//
// All have the same methods:
//
//	TryPush, TryPop                  never wait
//	TryPushBatch, TryPopBatch        as many items as fit, or as there are
//	Push, Pop, PushBatch, PopBatch   wait, until a context is done or the queue is closed
//	Close, Closed, Drained           shutdown
//	Len, Cap                         approximate fill level, and the limit
//
// # Capacity
//
// A push neither fails nor waits while the queue holds fewer items than the capacity given to its
// constructor, except that a push to an MPMC may while another goroutine is in the middle of a pop.
// A queue never holds more than Cap items. Cap may be slightly larger than the requested capacity:
// the consumer of a single-consumer ring publishes its position only after several pops, since
// publishing costs as much as ten pops.
//
// # Waiting
//
// The waiting methods retry a few times, yielding the processor in between (runtime.Gosched), then
// they sleep. An available item or free room takes precedence over a context that is done. A method
// that returns an error has changed nothing, except PushBatch, which returns the number of items
// that it has pushed. The errors are those of the context and ErrClosed.
//
// # Closing
//
// Any goroutine may call Close, and more than once. After Close, pushes fail; pops return the
// remaining items, then ErrClosed. For the rings this is exact: if a push succeeded, its item comes
// out when the ring is popped until ErrClosed, even if Close overlapped the push. A Channel may
// lose the item of a push that overlapped Close: call its Close after all producers have finished.
// (A Stage is not a push: items that are staged but not flushed when another goroutine calls Close
// are dropped, which Flush reports.) Code that only polls may stop when TryPop has failed and
// Drained returns true.
//
// # Memory
//
// Everything that happened before an item was pushed is visible to the goroutine that pops it. The
// queue keeps no reference to popped items. No method allocates, except when a goroutine sleeps for
// the first time.
//
// A queue must not be copied. Its constructor panics if the capacity is less than 1 or more than
// MaxCapacity.
package queue
