package queue

import (
	"context"
	"sync/atomic"
)

// An MPSC is a ring for many producers and one consumer, first in, first out. Items come out in the
// order in which their pushes took an index, so the items of one producer keep their order.
//
// As with an [SPSC], only one goroutine at a time may be the consumer. A push fails only if the ring
// held its capacity at some moment of the call or was closed. If there are items, TryPop fails only
// while the push of the oldest is not complete.
//
// Where the order among producers does not matter, [Sharded] is faster.
//
// Producers take an index by compare-and-swap after they have checked that there is room, and never
// return one: with a fetch-and-add that is undone when there is no room, a third producer can take
// an index after one that is never filled, and the ring stops for good. Each slot records whether
// it was filled.
type MPSC[T any] struct {
	slots []mpscSlot[T] // the item with index i is in slots[i&mask]
	mask  uint64        // len(slots) is a power of two
	limit uint64        // maximum number of items
	lag   uint64        // number of pops that are published together
	_     pad

	tail atomic.Uint64 // the next index to take, with closedBit
	_    pad

	headWord atomic.Uint64 // the published head, which producers read
	_        pad

	// Used by the consumer only.
	consumer guard
	head     uint64 // index of the next item
	tellAt   uint64 // the head at which to publish headWord
	_        pad

	items event // the consumer sleeps here
	room  event // producers sleep here
}

type mpscSlot[T any] struct {
	filled atomic.Uint64 // 1 + the index of the last item stored here
	item   T
}

// NewMPSC returns an MPSC with at least the given capacity. The number of slots is rounded up to a
// power of two.
func NewMPSC[T any](capacity int) *MPSC[T] {
	q := &MPSC[T]{lag: lag(checked(capacity))}
	q.limit = uint64(capacity) + q.lag - 1
	q.slots = make([]mpscSlot[T], powerOfTwo(q.limit))
	q.mask = uint64(len(q.slots) - 1)
	q.tellAt = q.lag
	return q
}

// ---- Called by any goroutine.

// TryPush tries to push item and reports whether it succeeded. It fails if the ring is full or closed.
func (q *MPSC[T]) TryPush(item T) bool {
	tail, n := q.reserve(1)
	if n == 0 {
		return false
	}
	q.fill(tail, item)
	schedPoint()
	q.items.notify()
	return true
}

// TryPushBatch pushes as many items as fit, with no item of another producer in between, and returns
// their number, which is 0 if the ring is closed.
func (q *MPSC[T]) TryPushBatch(items []T) int {
	tail, n := q.reserve(uint64(len(items)))
	for i := range n {
		q.fill(tail+i, items[i])
	}
	if n > 0 {
		q.items.notify()
	}
	return int(n)
}

// Push pushes item, waiting until it fits. The error is [ErrClosed] or that of ctx.
func (q *MPSC[T]) Push(ctx context.Context, item T) error {
	if q.TryPush(item) {
		return nil
	}
	return q.room.retry(ctx, q.Closed, q.hasRoom, func() bool { return q.TryPush(item) })
}

// PushBatch pushes all items, waiting as often as needed, and returns the number pushed. If that is
// less than len(items), the error is [ErrClosed] or that of ctx. Items of other producers may come in
// between.
func (q *MPSC[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	pushed := 0
	err := q.room.retry(ctx, q.Closed, q.hasRoom, func() bool {
		pushed += q.TryPushBatch(items[pushed:])
		return pushed == len(items)
	})
	return pushed, err
}

// reserve takes up to n consecutive indices and returns the first and their number.
func (q *MPSC[T]) reserve(n uint64) (tail, taken uint64) {
	for {
		tail = q.tail.Load()
		if tail&closedBit != 0 {
			return 0, 0
		}
		// Loaded after tail, so at this moment the ring held at least `used` items. Negative if
		// others have made progress in between; tail is outdated then.
		schedPoint()
		used := int64(tail - q.headWord.Load())
		if used >= int64(q.limit) {
			return 0, 0
		}
		taken = n
		if used >= 0 {
			taken = min(n, q.limit-uint64(used))
		}
		schedPoint()
		if taken == 0 || q.tail.CompareAndSwap(tail, tail+taken) {
			return tail, taken
		}
	}
}

func (q *MPSC[T]) fill(index uint64, item T) {
	slot := &q.slots[index&q.mask]
	schedPoint()
	slot.item = item
	schedPoint()
	slot.filled.Store(index + 1)
}

func (q *MPSC[T]) hasRoom() bool {
	tail := q.tail.Load()
	return tail&closedBit != 0 || int64(tail-q.headWord.Load()) < int64(q.limit)
}

// ---- Called by the consumer only.

// TryPop tries to pop the oldest item. The ok result reports whether it succeeded: it fails if the
// ring is empty or the push of that item is not complete.
func (q *MPSC[T]) TryPop() (item T, ok bool) {
	q.consumer.enter("consumer of an MPSC")
	head := q.head
	slot := &q.slots[head&q.mask]
	head++
	if slot.filled.Load() != head {
		if q.tellAt != q.head+q.lag {
			q.tell()
		}
		q.consumer.leave()
		return item, false
	}
	schedPoint()
	var none T
	item, slot.item = slot.item, none
	q.head = head
	if head == q.tellAt {
		q.tell()
	}
	q.consumer.leave()
	return item, true
}

// TryPopBatch pops up to len(items) items and returns their number.
func (q *MPSC[T]) TryPopBatch(items []T) int {
	q.consumer.enter("consumer of an MPSC")
	var none T
	n := 0
	for n < len(items) {
		slot := &q.slots[q.head&q.mask]
		if slot.filled.Load() != q.head+1 {
			break
		}
		items[n], slot.item = slot.item, none
		q.head++
		n++
		if q.head == q.tellAt {
			q.tell()
		}
	}
	if n == 0 && q.tellAt != q.head+q.lag {
		q.tell()
	}
	q.consumer.leave()
	return n
}

// Pop pops the oldest item, waiting until there is one. The error is [ErrClosed] or that of ctx.
func (q *MPSC[T]) Pop(ctx context.Context) (T, error) {
	if item, ok := q.TryPop(); ok {
		return item, nil
	}
	var item T
	err := q.items.retry(ctx, q.Drained, q.hasItems, func() (ok bool) {
		item, ok = q.TryPop()
		return ok
	})
	return item, err
}

// PopBatch waits for an item, then pops up to len(items) items without waiting again, and returns
// their number. If that is 0 although items is not empty, the error is [ErrClosed] or that of ctx.
func (q *MPSC[T]) PopBatch(ctx context.Context, items []T) (int, error) {
	popped := 0
	err := q.items.retry(ctx, q.Drained, q.hasItems, func() bool {
		popped = q.TryPopBatch(items)
		return popped > 0 || len(items) == 0
	})
	return popped, err
}

func (q *MPSC[T]) tell() {
	schedPoint()
	q.headWord.Store(q.head)
	q.tellAt = q.head + q.lag
	schedPoint()
	q.room.notify()
}

// hasItems also reports true when the ring is drained. It reports false while the oldest push is
// incomplete: that push notifies when it completes.
func (q *MPSC[T]) hasItems() bool {
	return q.slots[q.head&q.mask].filled.Load() == q.head+1 || q.Drained()
}

// ---- Called by any goroutine.

// Close closes the ring: further pushes fail.
func (q *MPSC[T]) Close() {
	q.tail.Or(closedBit)
	q.items.notify()
	q.room.notify()
}

// Closed reports whether Close was called.
func (q *MPSC[T]) Closed() bool {
	return q.tail.Load()&closedBit != 0
}

// Drained reports whether the ring is closed and empty. It may report false until a pop has found the
// ring empty.
func (q *MPSC[T]) Drained() bool {
	head := q.headWord.Load()
	schedPoint()
	return q.tail.Load() == head|closedBit
}

// Len returns the approximate number of items, from 0 to Cap. It includes items whose push is not
// complete. Until a pop finds the ring empty, it may also include popped items, fewer than an
// eighth of the capacity.
func (q *MPSC[T]) Len() int {
	head := q.headWord.Load()
	return int(min(q.tail.Load()&^closedBit-head, q.limit))
}

// Cap returns the maximum number of items.
func (q *MPSC[T]) Cap() int { return int(q.limit) }
