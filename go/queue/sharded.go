package queue

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// A Sharded is a queue for many producers and one consumer. Each producer has its own lane, so
// producers never contend. The items of one producer keep their order; the items of different
// producers have none.
//
// As with an [SPSC], only one goroutine at a time may be the consumer. It pops the items that it
// knows to be in a lane, at most the lane's capacity, and then moves on to the next lane that has
// items. TryPop fails only if all lanes were empty at some moment of the call.
type Sharded[T any] struct {
	capacity int
	lanes    atomic.Pointer[[]*SPSC[T]] // replaced, never modified
	_        pad

	// Used by the consumer only.
	consumer guard
	current  int // the lane that it pops from
	_        pad

	items event // the consumer sleeps here

	mu     sync.Mutex // held to replace lanes
	closed atomic.Bool
}

// A Producer pushes into one lane of a [Sharded]. Only one goroutine at a time may use it, except
// that any goroutine may call [Producer.Closed].
type Producer[T any] struct {
	lane *SPSC[T]
}

// NewSharded returns a Sharded whose lanes have the given capacity each.
func NewSharded[T any](laneCapacity int) *Sharded[T] {
	q := &Sharded[T]{capacity: checked(laneCapacity)}
	q.lanes.Store(new([]*SPSC[T]))
	return q
}

// NewProducer adds a lane and returns its producer. Any goroutine may call it. If the queue is closed,
// so is the lane. A producer that has ended closes its lane, so that the consumer drops it.
func (q *Sharded[T]) NewProducer() *Producer[T] {
	lane := NewSPSC[T](q.capacity)
	lane.items = &q.items
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed.Load() {
		lane.Close()
		return &Producer[T]{lane}
	}
	lanes := append(slices.Clip(*q.lanes.Load()), lane)
	q.lanes.Store(&lanes)
	return &Producer[T]{lane}
}

// ---- Called by the producer of the lane only.

// TryPush tries to push item and reports whether it succeeded. It fails if the lane is full or closed.
func (p *Producer[T]) TryPush(item T) bool { return p.lane.TryPush(item) }

// TryPushBatch pushes as many items as fit, makes all of them visible at the same time, and returns
// their number, which is 0 if the lane is closed.
func (p *Producer[T]) TryPushBatch(items []T) int { return p.lane.TryPushBatch(items) }

// Stage tries to add an item that the consumer cannot see yet, and reports whether it succeeded, as
// [SPSC.Stage] does.
func (p *Producer[T]) Stage(item T) bool { return p.lane.Stage(item) }

// Flush publishes the staged items and reports whether it succeeded, as [SPSC.Flush] does.
func (p *Producer[T]) Flush() bool { return p.lane.Flush() }

// Push pushes item, waiting until it fits in the lane. The error is [ErrClosed] or that of ctx.
func (p *Producer[T]) Push(ctx context.Context, item T) error { return p.lane.Push(ctx, item) }

// PushBatch pushes all items, waiting as often as needed, and returns the number pushed. If that is
// less than len(items), the error is [ErrClosed] or that of ctx.
func (p *Producer[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	return p.lane.PushBatch(ctx, items)
}

// Close publishes the staged items and closes the lane. The consumer drops the lane when it is empty.
// If the queue was closed before, the staged items are dropped: [Producer.Flush] reports that.
func (p *Producer[T]) Close() {
	p.lane.Flush()
	p.lane.Close()
}

// Closed reports whether the lane or the whole queue was closed.
func (p *Producer[T]) Closed() bool { return p.lane.Closed() }

// ---- Called by the consumer only.

// TryPop tries to pop an item. The ok result reports whether there was one.
func (q *Sharded[T]) TryPop() (item T, ok bool) {
	q.consumer.enter("consumer of a Sharded")
	lanes := *q.lanes.Load()
	if q.current < len(lanes) {
		if lane := lanes[q.current]; lane.head != lane.tailSeen {
			item = lane.take()
			if lane.head == lane.tellAt {
				lane.tell()
			}
			q.consumer.leave()
			return item, true
		}
	}
	if lane := q.nextLane(lanes); lane != nil {
		item, ok = lane.TryPop()
	}
	q.consumer.leave()
	return item, ok
}

// TryPopBatch pops up to len(items) items, a run from each lane, and returns their number.
func (q *Sharded[T]) TryPopBatch(items []T) int {
	q.consumer.enter("consumer of a Sharded")
	n := 0
	for n < len(items) {
		lanes := *q.lanes.Load()
		var lane *SPSC[T]
		if q.current < len(lanes) && lanes[q.current].head != lanes[q.current].tailSeen {
			lane = lanes[q.current]
		} else if lane = q.nextLane(lanes); lane == nil {
			break
		}
		// At most the items that are known to be in this lane, so that the other lanes get their
		// turn.
		run := min(uint64(len(items)-n), lane.tailSeen-lane.head)
		n += lane.TryPopBatch(items[n : n+int(run)])
	}
	q.consumer.leave()
	return n
}

// Pop pops an item, waiting until there is one. The error is [ErrClosed] or that of ctx.
func (q *Sharded[T]) Pop(ctx context.Context) (T, error) {
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
func (q *Sharded[T]) PopBatch(ctx context.Context, items []T) (int, error) {
	popped := 0
	err := q.items.retry(ctx, q.Drained, q.hasItems, func() bool {
		popped = q.TryPopBatch(items)
		return popped > 0 || len(items) == 0
	})
	return popped, err
}

// nextLane finds the next lane that has items and makes it the current one; nil if no lane has
// items. It checks each lane once, so that no producer is passed over. Only the consumer pops: if
// it finds all lanes empty, all were empty when it began.
func (q *Sharded[T]) nextLane(lanes []*SPSC[T]) *SPSC[T] {
	ended := false
	for range lanes {
		q.current++
		if q.current >= len(lanes) {
			q.current = 0
		}
		lane := lanes[q.current]
		schedPoint()
		if lane.lookForItems() {
			if ended {
				q.current = slices.Index(q.forgetEnded(), lane)
			}
			return lane
		}
		ended = ended || lane.Drained()
	}
	if ended {
		q.forgetEnded()
	}
	return nil
}

// forgetEnded drops the lanes that are closed and empty, and returns the remaining ones.
func (q *Sharded[T]) forgetEnded() []*SPSC[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	lanes := slices.DeleteFunc(slices.Clone(*q.lanes.Load()), (*SPSC[T]).Drained)
	q.lanes.Store(&lanes)
	return lanes
}

func (q *Sharded[T]) hasItems() bool {
	return slices.ContainsFunc(*q.lanes.Load(), (*SPSC[T]).hasItems) || q.Drained()
}

// ---- Called by any goroutine.

// Close closes all lanes, one after the other: until it returns, some may still accept items. Items
// that are staged in a lane but not flushed are dropped.
func (q *Sharded[T]) Close() {
	q.mu.Lock()
	q.closed.Store(true) // no lane is added after this
	lanes := *q.lanes.Load()
	q.mu.Unlock()
	for _, lane := range lanes {
		schedPoint()
		lane.Close()
	}
	q.items.notify()
}

// Closed reports whether Close was called.
func (q *Sharded[T]) Closed() bool { return q.closed.Load() }

// Drained reports whether the queue is closed and empty. It may report false until a pop has found the
// queue empty.
func (q *Sharded[T]) Drained() bool {
	return q.closed.Load() && !slices.ContainsFunc(*q.lanes.Load(), func(lane *SPSC[T]) bool {
		return !lane.Drained()
	})
}

// Len returns the approximate number of items: the sum of the lanes' lengths.
func (q *Sharded[T]) Len() int {
	sum := 0
	for _, lane := range *q.lanes.Load() {
		sum += lane.Len()
	}
	return sum
}

// Cap returns the maximum number of items in all current lanes.
func (q *Sharded[T]) Cap() int {
	sum := 0
	for _, lane := range *q.lanes.Load() {
		sum += lane.Cap()
	}
	return sum
}
