package queue

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// An MPMC is a ring for many producers and many consumers, first in, first out: items come out in the
// order in which their pushes took an index.
//
// The Try methods may fail spuriously, but only while another goroutine is in the middle of a call:
// TryPop fails if the push of the oldest item is not complete, even if later pushes are; TryPush
// fails if the pop of the oldest item is not complete, even if later pops are.
//
// The algorithm is Vyukov's bounded MPMC queue (2010), except that the slots' states count by twos,
// so that a ring of one slot can distinguish "filled" from "free for the next round". A call takes
// an index only if the slot is ready for it, and never returns an index.
type MPMC[T any] struct {
	slots []mpmcSlot[T] // the item with index i is in slots[i&mask]
	mask  uint64        // len(slots) is a power of two
	shift int           // log2(len(slots)): index >> shift is the round
	_     pad

	tail atomic.Uint64 // the next index to push at, with closedBit
	_    pad

	head atomic.Uint64 // the next index to pop at
	_    pad

	items event // consumers sleep here
	room  event // producers sleep here
}

type mpmcSlot[T any] struct {
	state atomic.Uint64 // 2 * round: free for that round; 2 * round + 1: filled in it
	item  T
}

// NewMPMC returns an MPMC. Its capacity is rounded up to a power of two.
func NewMPMC[T any](capacity int) *MPMC[T] {
	size := powerOfTwo(uint64(checked(capacity)))
	return &MPMC[T]{slots: make([]mpmcSlot[T], size), mask: size - 1, shift: bits.Len64(size) - 1}
}

// TryPush tries to push item and reports whether it succeeded. It fails if the ring is full or closed,
// and it may fail while a pop is not complete.
func (q *MPMC[T]) TryPush(item T) bool {
	for {
		tail := q.tail.Load()
		if tail&closedBit != 0 {
			return false
		}
		slot := &q.slots[tail&q.mask]
		free := tail >> q.shift << 1
		schedPoint()
		switch state := slot.state.Load(); {
		case state == free:
			schedPoint()
			if q.tail.CompareAndSwap(tail, tail+1) {
				schedPoint()
				slot.item = item
				slot.state.Store(free + 1)
				schedPoint()
				q.items.notify()
				return true
			}
		case state < free:
			return false
		}
		// Another goroutine took this index.
	}
}

// TryPop tries to pop the oldest item. The ok result reports whether it succeeded: it fails if the
// ring is empty or the push of that item is not complete.
func (q *MPMC[T]) TryPop() (item T, ok bool) {
	for {
		head := q.head.Load()
		slot := &q.slots[head&q.mask]
		filled := head>>q.shift<<1 + 1
		schedPoint()
		switch state := slot.state.Load(); {
		case state == filled:
			schedPoint()
			if q.head.CompareAndSwap(head, head+1) {
				schedPoint()
				var none T
				item, slot.item = slot.item, none
				slot.state.Store(filled + 1)
				schedPoint()
				q.room.notify()
				return item, true
			}
		case state < filled:
			return item, false
		}
	}
}

// TryPushBatch pushes items one by one until one does not fit, and returns the number pushed. Items
// of other producers may come in between.
func (q *MPMC[T]) TryPushBatch(items []T) int {
	for i, item := range items {
		if !q.TryPush(item) {
			return i
		}
	}
	return len(items)
}

// TryPopBatch pops up to len(items) items one by one and returns their number.
func (q *MPMC[T]) TryPopBatch(items []T) int {
	for i := range items {
		item, ok := q.TryPop()
		if !ok {
			return i
		}
		items[i] = item
	}
	return len(items)
}

// Push pushes item, waiting until it fits. The error is [ErrClosed] or that of ctx.
func (q *MPMC[T]) Push(ctx context.Context, item T) error {
	if q.TryPush(item) {
		return nil
	}
	return q.room.retry(ctx, q.Closed, q.hasRoom, func() bool { return q.TryPush(item) })
}

// PushBatch pushes all items, waiting as often as needed, and returns the number pushed. If that is
// less than len(items), the error is [ErrClosed] or that of ctx. Items of other producers may come in
// between.
func (q *MPMC[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	pushed := 0
	err := q.room.retry(ctx, q.Closed, q.hasRoom, func() bool {
		pushed += q.TryPushBatch(items[pushed:])
		return pushed == len(items)
	})
	return pushed, err
}

// Pop pops the oldest item, waiting until there is one. The error is [ErrClosed] or that of ctx.
func (q *MPMC[T]) Pop(ctx context.Context) (T, error) {
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
func (q *MPMC[T]) PopBatch(ctx context.Context, items []T) (int, error) {
	popped := 0
	err := q.items.retry(ctx, q.Drained, q.hasItems, func() bool {
		popped = q.TryPopBatch(items)
		return popped > 0 || len(items) == 0
	})
	return popped, err
}

// hasItems also reports true when the ring is drained or head is outdated.
func (q *MPMC[T]) hasItems() bool {
	head := q.head.Load()
	return q.slots[head&q.mask].state.Load() > head>>q.shift<<1 || q.Drained()
}

// hasRoom also reports true when the ring is closed or tail is outdated.
func (q *MPMC[T]) hasRoom() bool {
	tail := q.tail.Load()
	return tail&closedBit != 0 || q.slots[tail&q.mask].state.Load() >= tail>>q.shift<<1
}

// Close closes the ring: further pushes fail.
func (q *MPMC[T]) Close() {
	q.tail.Or(closedBit)
	q.items.notify()
	q.room.notify()
}

// Closed reports whether Close was called.
func (q *MPMC[T]) Closed() bool {
	return q.tail.Load()&closedBit != 0
}

// Drained reports whether the ring is closed and all items have been popped or are being popped.
func (q *MPMC[T]) Drained() bool {
	head := q.head.Load()
	schedPoint()
	return q.tail.Load() == head|closedBit
}

// Len returns the approximate number of items, from 0 to Cap. It includes items whose push is not
// complete.
func (q *MPMC[T]) Len() int {
	// Load head first: both only grow, so the difference cannot be negative.
	head := q.head.Load()
	return int(min(q.tail.Load()&^closedBit-head, uint64(len(q.slots))))
}

// Cap returns the maximum number of items.
func (q *MPMC[T]) Cap() int { return len(q.slots) }
