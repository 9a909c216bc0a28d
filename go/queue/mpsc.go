package queue

import (
	"context"
	"sync/atomic"
)

// MPSC is a ring from many goroutines to one, the consumer, first in, first out. Items come out in
// the order in which their pushes took an index, so that what one goroutine pushes keeps its order.
//
// The consumer is one goroutine at a time, as that of an SPSC. A push fails only if the ring held its
// capacity at some moment of the call, or was closed. TryPop may find nothing though there are items
// only while the push of the oldest is not done.
//
// Where the order among producers does not matter, Sharded is faster.
//
// Producers take an index by compare-and-swap once they know that there is room, and never give one
// back: with a fetch-and-add that is undone where there is no room, a third producer can take an
// index beyond one that nobody fills, and the ring stops for good. The slot tells the consumer that
// it was filled.
type MPSC[T any] struct {
	slots []mpscSlot[T] // the item with index i is in slots[i&mask]
	mask  uint64        // len(slots) is a power of two
	limit uint64        // how many items it holds at most
	lag   uint64        // how many pops are told together
	_     pad

	tail atomic.Uint64 // the next index to take, and closedBit
	_    pad

	headWord atomic.Uint64 // what producers may know of head
	_        pad

	// The consumer's.
	consumer guard
	head     uint64 // index of the next item
	tellAt   uint64 // at which head to tell the producers
	_        pad

	items event // the consumer sleeps here
	room  event // producers sleep here
}

type mpscSlot[T any] struct {
	filled atomic.Uint64 // 1 + the index of the item that was put here last
	item   T
}

// NewMPSC makes an MPSC for at least so many items. Its memory is for the next power of two above
// that.
func NewMPSC[T any](capacity int) *MPSC[T] {
	q := &MPSC[T]{lag: lag(checked(capacity))}
	q.limit = uint64(capacity) + q.lag - 1
	q.slots = make([]mpscSlot[T], powerOfTwo(q.limit))
	q.mask = uint64(len(q.slots) - 1)
	q.tellAt = q.lag
	return q
}

// ---- Any goroutine's.

// TryPush is false when the ring is full or closed.
func (q *MPSC[T]) TryPush(item T) bool {
	tail, n := q.take(1)
	if n == 0 {
		return false
	}
	q.fill(tail, item)
	yield()
	q.items.notify()
	return true
}

// TryPushBatch pushes as many as there is room for, side by side, and says how many: none when the
// ring is closed.
func (q *MPSC[T]) TryPushBatch(items []T) int {
	tail, n := q.take(uint64(len(items)))
	for i := range n {
		q.fill(tail+i, items[i])
	}
	if n > 0 {
		q.items.notify()
	}
	return int(n)
}

// Push waits for room.
func (q *MPSC[T]) Push(ctx context.Context, item T) error {
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

// PushBatch waits until all have been pushed, and says how many were. Others may push in between.
func (q *MPSC[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	done := 0
	for turn := 0; ; turn++ {
		if n := q.TryPushBatch(items[done:]); n > 0 {
			done += n
			turn = 0
		}
		if done == len(items) {
			q.passRoomOn()
			return done, nil
		}
		if q.Closed() {
			return done, ErrClosed
		}
		if err := q.room.await(ctx, turn, q.hasRoom); err != nil {
			return done, err
		}
	}
}

// take takes up to n indices, from the one it returns on.
func (q *MPSC[T]) take(n uint64) (tail, taken uint64) {
	for {
		tail = q.tail.Load()
		if tail&closedBit != 0 {
			return 0, 0
		}
		// Loaded after tail, so that the ring held no fewer items than used at this moment. Below 0 if
		// others went on meanwhile: then the tail is out of date.
		yield()
		used := int64(tail - q.headWord.Load())
		if used >= int64(q.limit) {
			return 0, 0
		}
		taken = n
		if used >= 0 {
			taken = min(n, q.limit-uint64(used))
		}
		yield()
		if taken == 0 || q.tail.CompareAndSwap(tail, tail+taken) {
			return tail, taken
		}
	}
}

func (q *MPSC[T]) fill(index uint64, item T) {
	slot := &q.slots[index&q.mask]
	yield()
	slot.item = item
	yield()
	slot.filled.Store(index + 1)
}

// passRoomOn wakes another producer if there is room for it: the consumer tells of several pops at a
// time, and wakes one for that.
func (q *MPSC[T]) passRoomOn() {
	if q.room.awaited() && q.hasRoom() {
		q.room.notify()
	}
}

func (q *MPSC[T]) hasRoom() bool {
	tail := q.tail.Load()
	return tail&closedBit != 0 || int64(tail-q.headWord.Load()) < int64(q.limit)
}

// ---- The consumer's.

// TryPop takes the oldest item; false when there is none, or its push is not done.
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
	yield()
	var none T
	item, slot.item = slot.item, none
	q.head = head
	if head == q.tellAt || q.room.awaited() {
		q.tell()
	}
	q.consumer.leave()
	return item, true
}

// TryPopBatch takes as many as there are and fit, and says how many.
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
	if n == 0 && q.tellAt != q.head+q.lag || n > 0 && q.room.awaited() {
		q.tell()
	}
	q.consumer.leave()
	return n
}

// Pop waits for an item.
func (q *MPSC[T]) Pop(ctx context.Context) (T, error) {
	for turn := 0; ; turn++ {
		item, ok := q.TryPop()
		if ok {
			return item, nil
		}
		if q.Drained() {
			return item, ErrClosed
		}
		if err := q.items.await(ctx, turn, q.hasItems); err != nil {
			return item, err
		}
	}
}

// PopBatch waits for an item, and takes as many as there are and fit.
func (q *MPSC[T]) PopBatch(ctx context.Context, items []T) (int, error) {
	for turn := 0; ; turn++ {
		if n := q.TryPopBatch(items); n > 0 || len(items) == 0 {
			return n, nil
		}
		if q.Drained() {
			return 0, ErrClosed
		}
		if err := q.items.await(ctx, turn, q.hasItems); err != nil {
			return 0, err
		}
	}
}

func (q *MPSC[T]) tell() {
	yield()
	q.headWord.Store(q.head)
	q.tellAt = q.head + q.lag
	yield()
	q.room.notify()
}

// hasItems is also true at the end, and not while the oldest push is under way: that one notifies.
func (q *MPSC[T]) hasItems() bool {
	return q.slots[q.head&q.mask].filled.Load() == q.head+1 || q.Drained()
}

// ---- Any goroutine's.

// Close ends the pushing.
func (q *MPSC[T]) Close() {
	q.tail.Or(closedBit)
	q.items.notifyAll()
	q.room.notifyAll()
}

// Closed is whether Close was called.
func (q *MPSC[T]) Closed() bool {
	return q.tail.Load()&closedBit != 0
}

// Drained is whether the ring is closed, and a pop has found nothing in it since.
func (q *MPSC[T]) Drained() bool {
	head := q.headWord.Load()
	yield()
	return q.tail.Load() == head|closedBit
}

// Len is how many items there are, from 0 to Cap, at about this time, those included whose push is
// not done. Until a pop has found nothing it may count some that were popped already, fewer than an
// eighth of the capacity.
func (q *MPSC[T]) Len() int {
	head := q.headWord.Load()
	return int(min(q.tail.Load()&^closedBit-head, q.limit))
}

// Cap is how many items the ring holds at most.
func (q *MPSC[T]) Cap() int { return int(q.limit) }
