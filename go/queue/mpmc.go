package queue

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// MPMC is a ring from many goroutines to many, first in, first out: items come out in the order in
// which their pushes took an index.
//
// The try forms may fail spuriously, but only while another goroutine is in the middle of a call:
// "nothing" where the push of the oldest item is not done, even if later ones are; "full" where the
// pop of the oldest item is not done, even if later ones are.
//
// The slots' states are those of Vyukov's bounded MPMC queue (2010), but they count by twos, so that
// a ring of one slot can tell "filled" from "free for the next". An index is taken only for a slot
// whose turn has come, and never given back.
type MPMC[T any] struct {
	slots []mpmcSlot[T] // the item with index i is in slots[i&mask]
	mask  uint64        // len(slots) is a power of two
	shift int           // its logarithm: index >> shift is the round
	_     pad

	tail atomic.Uint64 // the next index to push at, and closedBit
	_    pad

	head atomic.Uint64 // the next index to pop at
	_    pad

	items event // those who pop sleep here
	room  event // those who push
}

type mpmcSlot[T any] struct {
	state atomic.Uint64 // 2 * round: free for that round; 2 * round + 1: filled in it
	item  T
}

// NewMPMC makes an MPMC for the next power of two of so many items.
func NewMPMC[T any](capacity int) *MPMC[T] {
	size := powerOfTwo(uint64(checked(capacity)))
	return &MPMC[T]{slots: make([]mpmcSlot[T], size), mask: size - 1, shift: bits.Len64(size) - 1}
}

// TryPush is false when the ring is full or closed.
func (q *MPMC[T]) TryPush(item T) bool {
	for {
		tail := q.tail.Load()
		if tail&closedBit != 0 {
			return false
		}
		slot := &q.slots[tail&q.mask]
		free := tail >> q.shift << 1
		yield()
		switch state := slot.state.Load(); {
		case state == free:
			yield()
			if q.tail.CompareAndSwap(tail, tail+1) {
				yield()
				slot.item = item
				slot.state.Store(free + 1)
				yield()
				q.items.notify()
				return true
			}
		case state < free:
			return false
		}
		// Others were faster: the tail has moved.
	}
}

// TryPop takes the oldest item; false when there is none, or its push is not done.
func (q *MPMC[T]) TryPop() (item T, ok bool) {
	for {
		head := q.head.Load()
		slot := &q.slots[head&q.mask]
		filled := head>>q.shift<<1 + 1
		yield()
		switch state := slot.state.Load(); {
		case state == filled:
			yield()
			if q.head.CompareAndSwap(head, head+1) {
				yield()
				var none T
				item, slot.item = slot.item, none
				slot.state.Store(filled + 1)
				yield()
				q.room.notify()
				return item, true
			}
		case state < filled:
			return item, false
		}
	}
}

// TryPushBatch pushes as many as there is room for, one by one, and says how many.
func (q *MPMC[T]) TryPushBatch(items []T) int {
	for i, item := range items {
		if !q.TryPush(item) {
			return i
		}
	}
	return len(items)
}

// TryPopBatch takes as many as there are and fit, one by one, and says how many.
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

// Push waits for room.
func (q *MPMC[T]) Push(ctx context.Context, item T) error {
	for turn := 0; !q.TryPush(item); turn++ {
		if q.Closed() {
			return ErrClosed
		}
		if err := q.room.await(ctx, turn, q.hasRoom); err != nil {
			return err
		}
	}
	q.passRoomOn()
	return nil
}

// Pop waits for an item.
func (q *MPMC[T]) Pop(ctx context.Context) (T, error) {
	for turn := 0; ; turn++ {
		item, ok := q.TryPop()
		if ok {
			q.passItemsOn()
			return item, nil
		}
		if q.Drained() {
			q.passItemsOn()
			return item, ErrClosed
		}
		if err := q.items.await(ctx, turn, q.hasItems); err != nil {
			return item, err
		}
	}
}

// PushBatch waits until all have been pushed, and says how many were. Others may push in between.
func (q *MPMC[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	for i, item := range items {
		if err := q.Push(ctx, item); err != nil {
			return i, err
		}
	}
	return len(items), nil
}

// PopBatch waits for an item, and takes as many as there are and fit.
func (q *MPMC[T]) PopBatch(ctx context.Context, items []T) (int, error) {
	if len(items) == 0 {
		return 0, nil
	}
	item, err := q.Pop(ctx)
	if err != nil {
		return 0, err
	}
	items[0] = item
	return 1 + q.TryPopBatch(items[1:]), nil
}

// A call that holds up others, because its index comes before theirs, wakes one sleeper when it is
// done, though several may have gone to sleep over it. So who was served, or has found the end, wakes
// the next one, as long as there is something for it, which the end is.

func (q *MPMC[T]) passItemsOn() {
	if q.items.awaited() && q.hasItems() {
		q.items.notify()
	}
}

func (q *MPMC[T]) passRoomOn() {
	if q.room.awaited() && q.hasRoom() {
		q.room.notify()
	}
}

// hasItems is also true at the end, and when the head is out of date.
func (q *MPMC[T]) hasItems() bool {
	head := q.head.Load()
	return q.slots[head&q.mask].state.Load() > head>>q.shift<<1 || q.Drained()
}

// hasRoom is also true at the end, and when the tail is out of date.
func (q *MPMC[T]) hasRoom() bool {
	tail := q.tail.Load()
	return tail&closedBit != 0 || q.slots[tail&q.mask].state.Load() >= tail>>q.shift<<1
}

// Close ends the pushing.
func (q *MPMC[T]) Close() {
	q.tail.Or(closedBit)
	q.items.notifyAll()
	q.room.notifyAll()
}

// Closed is whether Close was called.
func (q *MPMC[T]) Closed() bool {
	return q.tail.Load()&closedBit != 0
}

// Drained is whether the ring is closed and all items have been popped, or are being popped.
func (q *MPMC[T]) Drained() bool {
	head := q.head.Load()
	yield()
	return q.tail.Load() == head|closedBit
}

// Len is how many items there are, from 0 to Cap, at about this time, those included whose push is
// not done.
func (q *MPMC[T]) Len() int {
	// head first, since both only rise: the difference cannot be below 0.
	head := q.head.Load()
	return int(min(q.tail.Load()&^closedBit-head, uint64(len(q.slots))))
}

// Cap is how many items the ring holds at most.
func (q *MPMC[T]) Cap() int { return len(q.slots) }
