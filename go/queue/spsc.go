package queue

import (
	"context"
	"sync/atomic"
)

// SPSC is a ring from one goroutine, the producer, to one other, the consumer. Items come out in the
// order in which they went in.
//
// Either part is one goroutine's at a time, which may be the same for both; handing it over needs
// synchronization. Builds with the race detector panic when two goroutines are in one part at the
// same time, and the detector reports those that are in it one after the other without
// synchronization. Other builds check nothing, and notice only some pushes of a second producer.
//
// The try forms are wait-free, except that a lock is taken to wake who sleeps. A push costs one locked
// instruction; Stage and the batch forms share it among several items. A pop mostly costs none.
//
// The algorithm is Lamport's (1977), and on either side a copy of the other's index that is renewed
// only when the ring looks full or empty (Lee, Bu and Chandranmenon's MCRingBuffer, 2010; Rigtorp's
// SPSCQueue). As a store that others may see is a locked instruction in Go, the consumer tells the
// producer how far it is only after several pops, or when it finds nothing; there are that many
// slots more, so that this takes no room from the producer.
type SPSC[T any] struct {
	slots []T    // the item with index i is in slots[i&mask]
	mask  uint64 // len(slots) is a power of two
	limit uint64 // how many items it holds at most
	lag   uint64 // how many pops are told together
	items *event // the consumer sleeps here: itemsHere, or the event of a Sharded
	_     pad

	// The producer's.
	producer guard
	tail     uint64        // index of the next item
	shown    uint64        // the index in tailWord
	headSeen uint64        // what it last knew of headWord
	refused  bool          // a push has found the ring closed
	tailWord atomic.Uint64 // how far items can be seen, and closedBit; written by Close, too
	_        pad

	// The consumer's.
	consumer guard
	head     uint64        // index of the next item
	tellAt   uint64        // at which head to tell the producer
	tailSeen uint64        // what it last knew of tailWord, without closedBit
	headWord atomic.Uint64 // what the producer may know of head
	_        pad

	room      event // the producer sleeps here
	itemsHere event
}

// NewSPSC makes an SPSC for at least so many items. Its memory is for the next power of two above
// that.
func NewSPSC[T any](capacity int) *SPSC[T] {
	q := &SPSC[T]{lag: lag(checked(capacity))}
	q.limit = uint64(capacity) + q.lag - 1
	q.slots = make([]T, powerOfTwo(q.limit))
	q.mask = uint64(len(q.slots) - 1)
	q.tellAt = q.lag
	q.items = &q.itemsHere
	return q
}

// ---- The producer's.

// TryPush is false when the ring is full or closed.
func (q *SPSC[T]) TryPush(item T) bool {
	q.producer.enter("producer of an SPSC")
	tail := q.tail
	if tail-q.headSeen >= q.limit && !q.makeRoom() {
		q.producer.leave()
		return false
	}
	q.slots[tail&q.mask] = item
	q.tail = tail + 1
	yield()
	// The consumer sees the item with this; and whoever announced a sleep before it is seen below.
	if !q.tailWord.CompareAndSwap(q.shown, tail+1) {
		q.refuse()
		q.producer.leave()
		return false
	}
	q.shown = tail + 1
	yield()
	q.items.notify()
	q.producer.leave()
	return true
}

// Stage adds an item without showing it to the consumer yet. Flush shows it, and so does each push.
// False when the ring is full, and what was staged before is shown then; and when a push, a Flush or a
// Stage has found the ring closed. A Stage that is true does not know whether it is: what is staged
// when another closes the ring is gone, as Flush tells.
//
// For producers that have something else to do when they have nothing to push: they Flush before
// that, or after some items, and pay for telling the consumer only then.
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

// Flush shows the consumer what was staged. False when the ring is found to be closed, now or by a call
// before: what was staged and not shown by then is gone.
func (q *SPSC[T]) Flush() bool {
	q.producer.enter("producer of an SPSC")
	shown := q.show()
	q.producer.leave()
	return shown
}

// TryPushBatch pushes as many as there is room for, which all become visible at once, and says how
// many: none when the ring is closed.
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
	yield()
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

// Push waits for room.
func (q *SPSC[T]) Push(ctx context.Context, item T) error {
	for turn := 0; !q.TryPush(item); turn++ {
		if q.Closed() {
			return ErrClosed
		}
		if err := q.room.await(ctx, turn, q.hasRoom); err != nil {
			return err
		}
	}
	return nil
}

// PushBatch waits until all have been pushed, and says how many were.
func (q *SPSC[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	done := 0
	for turn := 0; ; turn++ {
		if n := q.TryPushBatch(items[done:]); n > 0 {
			done += n
			turn = 0
		}
		if done == len(items) {
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

// makeRoom looks how far the consumer is, and is whether there is room.
func (q *SPSC[T]) makeRoom() bool {
	if q.refused {
		return false
	}
	q.headSeen = q.headWord.Load()
	if q.tail-q.headSeen < q.limit {
		return true
	}
	q.show() // what is staged makes no room as long as nobody sees it
	return false
}

// show makes what is staged visible; false if the ring is closed.
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

// refuse drops the items from shown on, since the ring was closed meanwhile. From then on it looks full
// to the producer.
func (q *SPSC[T]) refuse() {
	if q.tailWord.Load()&closedBit == 0 {
		q.producer.leave()
		panic("queue: two goroutines are the producer of an SPSC")
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

// ---- The consumer's.

// TryPop takes the oldest item; false when there is none.
func (q *SPSC[T]) TryPop() (item T, ok bool) {
	q.consumer.enter("consumer of an SPSC")
	head := q.head
	if head == q.tailSeen && !q.lookForItems() {
		q.consumer.leave()
		return item, false
	}
	yield()
	var none T
	slot := &q.slots[head&q.mask]
	item, *slot = *slot, none
	head++
	q.head = head
	if head == q.tellAt || q.room.awaited() {
		q.tell()
	}
	q.consumer.leave()
	return item, true
}

// TryPopBatch takes as many as there are and fit, and says how many.
func (q *SPSC[T]) TryPopBatch(items []T) int {
	next := q.Peek(len(items))
	n := copy(items, next)
	q.Discard(n)
	if n == len(items) || n == 0 {
		return n
	}
	// The rest stands at the beginning of the slots.
	more := copy(items[n:], q.Peek(len(items)-n))
	q.Discard(more)
	return n + more
}

// Peek is a view of the next items, at most so many, without taking them: Discard does. It may show
// fewer than there are, where they go round the end of the ring, but none only if there are none. The
// consumer may change them.
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

// Discard takes so many of the items that Peek has shown, the oldest first. It panics if the consumer
// does not know of so many. Views end with it.
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
	if int64(q.head-q.tellAt) >= 0 || n > 0 && q.room.awaited() {
		q.tell()
	}
	q.consumer.leave()
}

// Pop waits for an item.
func (q *SPSC[T]) Pop(ctx context.Context) (T, error) {
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
func (q *SPSC[T]) PopBatch(ctx context.Context, items []T) (int, error) {
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

// lookForItems looks how far the producer is. Where there is nothing it tells the producer all, so
// that an empty ring is known to be empty.
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
	yield()
	q.headWord.Store(q.head)
	q.tellAt = q.head + q.lag
	yield()
	q.room.notify()
}

func (q *SPSC[T]) hasItems() bool {
	tail := q.tailWord.Load()
	return tail&^closedBit != q.head || tail&closedBit != 0
}

// ---- Any goroutine's.

// Close ends the pushing. What is staged then, and not shown, is gone: the producer calls Flush before.
func (q *SPSC[T]) Close() {
	q.tailWord.Or(closedBit)
	q.items.notifyAll()
	q.room.notifyAll()
}

// Closed is whether Close was called.
func (q *SPSC[T]) Closed() bool {
	return q.tailWord.Load()&closedBit != 0
}

// Drained is whether the ring is closed, and a pop has found nothing in it since.
func (q *SPSC[T]) Drained() bool {
	head := q.headWord.Load()
	yield()
	return q.tailWord.Load() == head|closedBit
}

// Len is how many items there are, from 0 to Cap, at about this time. Until a pop has found nothing
// it may count some that were popped already, fewer than an eighth of the capacity.
func (q *SPSC[T]) Len() int {
	// head first, since both only rise: the difference cannot be below 0.
	head := q.headWord.Load()
	return int(min(q.tailWord.Load()&^closedBit-head, q.limit))
}

// Cap is how many items the ring holds at most.
func (q *SPSC[T]) Cap() int { return int(q.limit) }
