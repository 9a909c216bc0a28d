// Package queue passes items between goroutines through rings of fixed size.
//
// A channel does that too, and is the place to start. The rings are for loops in which a channel's
// lock shows up in the profile. The choice depends on the number of producers and consumers:
//
//   - [SPSC]: one producer, one consumer
//   - [Sharded]: many producers, each with its own lane, and one consumer; first in, first out for
//     each producer
//   - [MPSC]: many producers, one consumer; first in, first out
//   - [MPMC]: many producers, many consumers; first in, first out
//
// All have these methods; those that push into a Sharded belong to a [Producer]:
//
//   - TryPush and TryPop never wait.
//   - TryPushBatch and TryPopBatch pass as many items as fit, or as there are.
//   - Push, Pop, PushBatch and PopBatch wait until they can go on, the context is done, or the queue
//     is closed.
//   - Close, Closed and Drained end the work.
//   - Len and Cap return the approximate number of items and its limit.
//
// # Capacity
//
// A push neither fails nor waits while the queue, or the lane of a Sharded, holds fewer items than
// the capacity given to its constructor. There is one exception: a push into an MPMC may do so while
// another goroutine is in the middle of a pop. A queue never holds more than Cap items. Cap may be
// larger than the requested capacity: that of an MPMC is a power of two, and a ring with a single
// consumer has up to an eighth of extra room, because the consumer publishes its position only after
// several pops.
//
// # Waiting
//
// The waiting methods retry a few times, yielding the processor in between ([runtime.Gosched]), then
// they sleep. An available item or free room takes precedence over a context that is done. A method
// that returns an error has pushed and popped nothing, except PushBatch, which returns the number of
// items that it has pushed. The errors are those of the context and [ErrClosed].
//
// # Closing
//
// Any goroutine may call Close, and more than once. After Close has returned, pushes fail; pops
// return the remaining items, then ErrClosed. This is exact: if a push succeeded, its item comes out
// when the queue is popped until ErrClosed, even if Close overlapped the push. (Staging is not
// pushing: items that are staged but not flushed when another goroutine calls Close are dropped,
// which Flush reports.) Code that only polls may stop when TryPop has failed and Drained returns
// true.
//
// # Memory
//
// In the terminology of the Go memory model, a push of an item is synchronized before the pop that
// returns the item; for a staged item, that holds for the call that publishes it. The queue keeps no
// reference to popped items. Pushes and pops do not allocate, except when more goroutines sleep at
// once than before, and when the consumer of a Sharded drops a lane that was closed.
//
// A queue must not be copied. Its constructor panics if the capacity is less than 1 or more than
// [MaxCapacity].
package queue
