package queue

import (
	"context"
	"sync/atomic"
)

// An SPSC is a ring for one producer and one consumer, first in, first out.
//
// Each side belongs to one goroutine at a time; one goroutine may own both. Handing a side over to
// another goroutine needs synchronization. Builds with the race detector panic when two goroutines
// use one side at the same time, and the detector reports unsynchronized use one after the other.
// Other builds detect only some pushes of a second producer.
//
// The Try methods are wait-free, except that waking a sleeper takes a lock. A push costs one locked
// instruction on amd64; [SPSC.Stage] and the batch methods share it among several items. Most pops
// cost none.
//
// The algorithm is Lamport's (1977), extended by a cached copy of the other side's index on each
// side, which is refreshed only when the ring looks full or empty (Lee, Bu and Chandranmenon's
// MCRingBuffer, 2010; Rigtorp's SPSCQueue). Since publishing a store in Go takes a locked
// instruction, the consumer publishes its position only after several pops, or when it finds the
// ring empty. The ring has as many extra slots, so this does not reduce the producer's capacity.
type SPSC[T any] struct {
	slots []T    // the item with index i is in slots[i&mask]
	mask  uint64 // len(slots) is a power of two
	limit uint64 // maximum number of items
	lag   uint64 // number of pops that are published together
	items *event // the consumer sleeps here: itemsHere, or the event of a Sharded
	_     pad

	// Used by the producer only, except tailWord.
	producer guard
	tail     uint64        // index of the next item
	shown    uint64        // the published index, in tailWord
	headSeen uint64        // cached copy of headWord
	refused  bool          // whether a push has found the ring closed
	tailWord atomic.Uint64 // end of the visible items, with closedBit; Close writes it, too
	_        pad

	// Used by the consumer only.
	consumer guard
	head     uint64        // index of the next item
	tellAt   uint64        // the head at which to publish headWord
	tailSeen uint64        // cached copy of tailWord, without closedBit
	headWord atomic.Uint64 // the published head, which the producer reads
	_        pad

	room      event // the producer sleeps here
	itemsHere event
}

// NewSPSC returns an SPSC with at least the given capacity. The number of slots is rounded up to a
// power of two.
func NewSPSC[T any](capacity int) *SPSC[T] {
	q := &SPSC[T]{lag: lag(checked(capacity))}
	q.limit = uint64(capacity) + q.lag - 1
	q.slots = make([]T, powerOfTwo(q.limit))
	q.mask = uint64(len(q.slots) - 1)
	q.tellAt = q.lag
	q.items = &q.itemsHere
	return q
}

// ---- Called by the producer only.

// TryPush tries to push item and reports whether it succeeded. It fails if the ring is full or closed.
func (q *SPSC[T]) TryPush(item T) bool {
	q.producer.enter("producer of an SPSC")
	tail := q.tail
	if tail-q.headSeen >= q.limit && !q.makeRoom() {
		q.producer.leave()
		return false
	}
	q.slots[tail&q.mask] = item
	q.tail = tail + 1
	schedPoint()
	// Publishes the item. The check of sleepers below sees every sleep announced before this.
	if !q.tailWord.CompareAndSwap(q.shown, tail+1) {
		q.refuse()
		q.producer.leave()
		return false
	}
	q.shown = tail + 1
	schedPoint()
	q.items.notify()
	q.producer.leave()
	return true
}

// Stage tries to add an item that the consumer cannot see yet, and reports whether it succeeded.
// [SPSC.Flush] publishes staged items, and so does each push. Stage fails if the ring is full, after
// publishing the items staged so far, or if an earlier push, Flush or Stage has found the ring
// closed. Items that were staged successfully are dropped if another goroutine closes the ring before
// they are published, which Flush reports.
//
// It is for producers that have other work when they have nothing to push: they call Flush before
// that work, or after some items, and only then pay for publishing.
func (q *SPSC[T]) Stage(item T) bool {
	q.producer.enter("producer of an SPSC")
	tail := q.tail
	if tail-q.headSeen >= q.limit && !q.makeRoom() {
		q.show()
		q.producer.leave()
		return false
	}
	q.slots[tail&q.mask] = item
	q.tail = tail + 1
	q.producer.leave()
	return true
}

// Flush publishes the staged items and reports whether it succeeded. It fails if a call by the
// producer, this or an earlier one, has found the ring closed: items that were staged then have been
// dropped.
func (q *SPSC[T]) Flush() bool {
	q.producer.enter("producer of an SPSC")
	shown := q.show()
	q.producer.leave()
	return shown
}

// TryPushBatch pushes as many items as fit, makes all of them visible at the same time, and returns
// their number, which is 0 if the ring is closed.
func (q *SPSC[T]) TryPushBatch(items []T) int {
	q.producer.enter("producer of an SPSC")
	tail := q.tail
	if q.limit-(tail-q.headSeen) < uint64(len(items)) {
		q.headSeen = q.headWord.Load()
	}
	n := min(uint64(len(items)), q.limit-(tail-q.headSeen))
	if n == 0 {
		q.show()
		q.producer.leave()
		return 0
	}
	copied := copy(q.slots[tail&q.mask:], items[:n])
	copy(q.slots, items[copied:n])
	q.tail = tail + n
	schedPoint()
	if !q.tailWord.CompareAndSwap(q.shown, tail+n) {
		q.refuse()
		n = 0
	} else {
		q.shown = tail + n
		q.items.notify()
	}
	q.producer.leave()
	return int(n)
}

// Push pushes item, waiting until it fits. The error is [ErrClosed] or that of ctx.
func (q *SPSC[T]) Push(ctx context.Context, item T) error {
	if q.TryPush(item) {
		return nil
	}
	return q.room.retry(ctx, q.Closed, q.hasRoom, func() bool { return q.TryPush(item) })
}

// PushBatch pushes all items, waiting as often as needed, and returns the number pushed. If that is
// less than len(items), the error is [ErrClosed] or that of ctx.
func (q *SPSC[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	pushed := 0
	err := q.room.retry(ctx, q.Closed, q.hasRoom, func() bool {
		pushed += q.TryPushBatch(items[pushed:])
		return pushed == len(items)
	})
	return pushed, err
}

// makeRoom refreshes headSeen and reports whether there is room.
func (q *SPSC[T]) makeRoom() bool {
	if q.refused {
		return false
	}
	q.headSeen = q.headWord.Load()
	if q.tail-q.headSeen < q.limit {
		return true
	}
	q.show() // the consumer cannot pop staged items before they are published
	return false
}

// show publishes the staged items. It returns false if the ring is closed.
func (q *SPSC[T]) show() bool {
	if q.tail == q.shown {
		return !q.refused
	}
	if !q.tailWord.CompareAndSwap(q.shown, q.tail) {
		q.refuse()
		return false
	}
	q.shown = q.tail
	q.items.notify()
	return true
}

// refuse drops the items from shown on, because the ring was closed in the meantime. From then on,
// the ring looks full to the producer.
func (q *SPSC[T]) refuse() {
	if q.tailWord.Load()&closedBit == 0 {
		q.producer.leave()
		panic("queue: two goroutines act as the producer of an SPSC")
	}
	var none T
	for i := q.shown; i != q.tail; i++ {
		q.slots[i&q.mask] = none
	}
	q.tail = q.shown
	q.headSeen = q.tail - q.limit
	q.refused = true
}

func (q *SPSC[T]) hasRoom() bool {
	return q.tail-q.headWord.Load() < q.limit || q.Closed()
}

// ---- Called by the consumer only.

// TryPop tries to pop the oldest item. The ok result reports whether there was one.
func (q *SPSC[T]) TryPop() (item T, ok bool) {
	q.consumer.enter("consumer of an SPSC")
	head := q.head
	if head == q.tailSeen && !q.lookForItems() {
		q.consumer.leave()
		return item, false
	}
	schedPoint()
	item = q.take()
	if q.head == q.tellAt {
		q.tell()
	}
	q.consumer.leave()
	return item, true
}

// take pops an item that is there. It is small enough to be inlined; the caller publishes the head.
func (q *SPSC[T]) take() (item T) {
	var none T
	slot := &q.slots[q.head&q.mask]
	item, *slot = *slot, none
	q.head++
	return item
}

// TryPopBatch pops up to len(items) items and returns their number.
func (q *SPSC[T]) TryPopBatch(items []T) int {
	next := q.Peek(len(items))
	n := copy(items, next)
	q.Discard(n)
	if n == len(items) || n == 0 {
		return n
	}
	// The remaining items are at the beginning of the slots.
	more := copy(items[n:], q.Peek(len(items)-n))
	q.Discard(more)
	return n + more
}

// Peek returns a view of up to most of the oldest items without popping them: [SPSC.Discard] does
// that. The view may be shorter than the number of items where they wrap around the end of the ring,
// but if most is positive, it is empty only if the ring is. The consumer may modify the items.
func (q *SPSC[T]) Peek(most int) []T {
	q.consumer.enter("consumer of an SPSC")
	head := q.head
	if q.tailSeen-head < uint64(max(most, 0)) {
		q.lookForItems()
	}
	begin := head & q.mask
	n := min(uint64(max(most, 0)), q.tailSeen-head, uint64(len(q.slots))-begin)
	view := q.slots[begin : begin+n : begin+n]
	q.consumer.leave()
	return view
}

// Discard pops the n oldest items and invalidates all views that [SPSC.Peek] has returned. It panics
// if n is negative or more items than the consumer has seen.
func (q *SPSC[T]) Discard(n int) {
	q.consumer.enter("consumer of an SPSC")
	if n < 0 || uint64(n) > q.tailSeen-q.head {
		q.consumer.leave()
		panic("queue: Discard of more than Peek has shown")
	}
	begin := q.head & q.mask
	first := min(uint64(n), uint64(len(q.slots))-begin)
	clear(q.slots[begin : begin+first])
	clear(q.slots[:uint64(n)-first])
	q.head += uint64(n)
	if int64(q.head-q.tellAt) >= 0 {
		q.tell()
	}
	q.consumer.leave()
}

// Pop pops the oldest item, waiting until there is one. The error is [ErrClosed] or that of ctx.
func (q *SPSC[T]) Pop(ctx context.Context) (T, error) {
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
func (q *SPSC[T]) PopBatch(ctx context.Context, items []T) (int, error) {
	popped := 0
	err := q.items.retry(ctx, q.Drained, q.hasItems, func() bool {
		popped = q.TryPopBatch(items)
		return popped > 0 || len(items) == 0
	})
	return popped, err
}

// lookForItems refreshes tailSeen and reports whether there are items. If there are none, it
// publishes the head, so that the producer can see that the ring is empty.
func (q *SPSC[T]) lookForItems() bool {
	q.tailSeen = q.tailWord.Load() &^ closedBit
	if q.tailSeen != q.head {
		return true
	}
	if q.tellAt != q.head+q.lag {
		q.tell()
	}
	return false
}

func (q *SPSC[T]) tell() {
	schedPoint()
	q.headWord.Store(q.head)
	q.tellAt = q.head + q.lag
	schedPoint()
	q.room.notify()
}

func (q *SPSC[T]) hasItems() bool {
	tail := q.tailWord.Load()
	return tail&^closedBit != q.head || tail&closedBit != 0
}

// ---- Called by any goroutine.

// Close closes the ring: further pushes fail. Items that are staged but not flushed are dropped, so
// the producer calls [SPSC.Flush] first.
func (q *SPSC[T]) Close() {
	q.tailWord.Or(closedBit)
	q.items.notify()
	q.room.notify()
}

// Closed reports whether Close was called.
func (q *SPSC[T]) Closed() bool {
	return q.tailWord.Load()&closedBit != 0
}

// Drained reports whether the ring is closed and empty. It may report false until a pop has found the
// ring empty.
func (q *SPSC[T]) Drained() bool {
	head := q.headWord.Load()
	schedPoint()
	return q.tailWord.Load() == head|closedBit
}

// Len returns the approximate number of items, from 0 to Cap. Until a pop finds the ring empty, it
// may include popped items, fewer than an eighth of the capacity.
func (q *SPSC[T]) Len() int {
	// Load head first: both only grow, so the difference cannot be negative.
	head := q.headWord.Load()
	return int(min(q.tailWord.Load()&^closedBit-head, q.limit))
}

// Cap returns the maximum number of items.
func (q *SPSC[T]) Cap() int { return int(q.limit) }
