// Package queue hands items from goroutines to goroutines through rings of fixed size.
//
// A channel does that too, and is what to begin with: see Channel. The rings are for loops in which
// a channel's lock shows in the profile. Which one depends on who pushes and who pops:
//
//	SPSC      one goroutine to one other
//	Sharded   many to one, each producer in a lane of its own; keeps the order of each producer
//	MPSC      many to one, in one order
//	MPMC      many to many, in one order
//
// All have the same forms:
//
//	TryPush, TryPop                  never wait for room or an item
//	TryPushBatch, TryPopBatch        as many as there is room for, or are there
//	Push, Pop, PushBatch, PopBatch   wait, until a context is done or the queue is closed
//	Close, Closed, Drained           the end
//	Len, Cap                         how full it is, at about this time
//
// # Capacity
//
// A push does not fail, and does not wait, while fewer items are in the queue than its constructor
// was asked for; but that of an MPMC may while another goroutine is in the middle of a pop. A queue
// never holds more than Cap, which may be somewhat more than was asked for: rings
// with one consumer give room back several items at a time, since telling costs as much as ten pops.
//
// # Waiting
//
// The waiting forms try a few times and give their processor to others in between
// (runtime.Gosched), then they sleep. An item that is there, or room, goes before a context that is
// done. A form that returns an error has changed nothing, but for PushBatch, which says how many
// items it has pushed. Errors are those of the context and ErrClosed.
//
// # The end
//
// Any goroutine may call Close, more than once. From then on pushes fail; pops get what is left, and
// then ErrClosed. For the rings that is exact: an item whose push succeeded comes out of every ring that
// is popped until ErrClosed, even if Close overlapped that push. A Channel may keep the item of a push
// that overlapped Close: let the producers end before its Close. (A Stage is not a push: what was staged
// and not shown when another goroutine calls Close is gone, and Flush tells.) Code that only polls stops
// when TryPop has failed and Drained says true.
//
// # Memory
//
// What happened before an item was pushed is visible to who pops it. Items popped are no longer
// referred to by the queue. No form allocates, but for the first time that a goroutine sleeps.
//
// A queue must not be copied, and is made by its constructor, which panics if the capacity is below 1
// or beyond MaxCapacity.
package queue
