package queue

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Sharded is a queue from many goroutines to one, the consumer, in which each producer has a lane of
// its own, so that producers never meet. What one producer pushes keeps its order; between producers
// there is none.
//
// The consumer is one goroutine at a time, as that of an SPSC. It empties what it knows of a lane,
// which is at most the lane's capacity, and goes on to the next one that has items. TryPop finds
// nothing only if all lanes were empty at some moment of the call.
type Sharded[T any] struct {
	capacity int
	lanes    atomic.Pointer[[]*SPSC[T]] // replaced, never changed
	_        pad

	// The consumer's.
	consumer guard
	current  int // the lane that it takes from
	_        pad

	items event // the consumer sleeps here

	mu     sync.Mutex // held to replace lanes
	closed atomic.Bool
}

// Producer pushes into a lane of a Sharded. It is used as the producer's part of an SPSC is: by one
// goroutine at a time.
type Producer[T any] struct {
	lane *SPSC[T]
}

// NewSharded makes a Sharded whose producers have room for so many items each.
func NewSharded[T any](laneCapacity int) *Sharded[T] {
	q := &Sharded[T]{capacity: checked(laneCapacity)}
	q.lanes.Store(new([]*SPSC[T]))
	return q
}

// Producer adds a lane. Any goroutine may call it; the result is for one. After Close, the new
// producer's pushes fail.
func (q *Sharded[T]) Producer() *Producer[T] {
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

// ---- A producer's.

// TryPush is false when the lane is full or closed.
func (p *Producer[T]) TryPush(item T) bool { return p.lane.TryPush(item) }

// TryPushBatch pushes as many as there is room for, which all become visible at once, and says how
// many: none when the lane is closed.
func (p *Producer[T]) TryPushBatch(items []T) int { return p.lane.TryPushBatch(items) }

// Stage adds an item without showing it to the consumer yet, as SPSC.Stage does.
func (p *Producer[T]) Stage(item T) bool { return p.lane.Stage(item) }

// Flush shows the consumer what was staged, as SPSC.Flush does.
func (p *Producer[T]) Flush() bool { return p.lane.Flush() }

// Push waits for room in the lane.
func (p *Producer[T]) Push(ctx context.Context, item T) error { return p.lane.Push(ctx, item) }

// PushBatch waits until all have been pushed, and says how many were.
func (p *Producer[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	return p.lane.PushBatch(ctx, items)
}

// Close shows what was staged and ends the lane: the consumer gets what is left and forgets it.
func (p *Producer[T]) Close() {
	p.lane.Flush()
	p.lane.Close()
}

// Closed is whether the lane or the whole queue was closed.
func (p *Producer[T]) Closed() bool { return p.lane.Closed() }

// ---- The consumer's.

// TryPop takes an item; false when there is none.
func (q *Sharded[T]) TryPop() (item T, ok bool) {
	q.consumer.enter("consumer of a Sharded")
	lanes := *q.lanes.Load()
	if q.current < len(lanes) {
		if lane := lanes[q.current]; lane.head != lane.tailSeen {
			item, ok = lane.TryPop()
			q.consumer.leave()
			return item, ok
		}
	}
	if lane := q.nextLane(lanes); lane != nil {
		item, ok = lane.TryPop()
	}
	q.consumer.leave()
	return item, ok
}

// TryPopBatch takes as many as there are and fit, a run from each lane, and says how many.
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
		// No more than is known of the lane, so that others have their turn.
		run := min(uint64(len(items)-n), lane.tailSeen-lane.head)
		n += lane.TryPopBatch(items[n : n+int(run)])
	}
	q.consumer.leave()
	return n
}

// Pop waits for an item.
func (q *Sharded[T]) Pop(ctx context.Context) (T, error) {
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
func (q *Sharded[T]) PopBatch(ctx context.Context, items []T) (int, error) {
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

// nextLane is the next one that has items, which is the current one from now on; nil if none has.
// Each lane is looked at once, so that no producer is passed over. Only the consumer takes items: if
// it finds none in any, all were empty when it began.
func (q *Sharded[T]) nextLane(lanes []*SPSC[T]) *SPSC[T] {
	ended := false
	for range lanes {
		q.current++
		if q.current >= len(lanes) {
			q.current = 0
		}
		lane := lanes[q.current]
		yield()
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

// forgetEnded drops the lanes that are closed and empty, and returns the others.
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

// ---- Any goroutine's.

// Close ends the pushing in all lanes, one after the other: until it returns, some may still take items.
// What is staged in a lane then, and not shown, is gone.
func (q *Sharded[T]) Close() {
	q.mu.Lock()
	q.closed.Store(true) // from here on no lane is added
	lanes := *q.lanes.Load()
	q.mu.Unlock()
	for _, lane := range lanes {
		yield()
		lane.Close()
	}
	q.items.notifyAll()
}

// Closed is whether Close was called.
func (q *Sharded[T]) Closed() bool { return q.closed.Load() }

// Drained is whether the queue is closed, and a pop has found nothing in it since.
func (q *Sharded[T]) Drained() bool {
	return q.closed.Load() && !slices.ContainsFunc(*q.lanes.Load(), func(lane *SPSC[T]) bool {
		return !lane.Drained()
	})
}

// Len is how many items there are, at about this time: the sum of the lanes' lengths.
func (q *Sharded[T]) Len() int {
	sum := 0
	for _, lane := range *q.lanes.Load() {
		sum += lane.Len()
	}
	return sum
}

// Cap is how many items the lanes that there are now hold at most.
func (q *Sharded[T]) Cap() int {
	sum := 0
	for _, lane := range *q.lanes.Load() {
		sum += lane.Cap()
	}
	return sum
}
