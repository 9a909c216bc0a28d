package queue

import (
	"context"
	"sync"
)

// Channel is a buffered channel with the forms of this package: the baseline that the rings are
// measured against, and the one to use where they are not needed. Any goroutines may push and pop.
//
// Its end is less exact than that of the rings: a push that overlaps Close may succeed and its item stay
// behind. Only a lock around each push would prevent that, and make the baseline slower than it is.
type Channel[T any] struct {
	items chan T
	shut  chan struct{} // closed by Close
	once  sync.Once
}

// NewChannel makes a Channel that holds so many items.
func NewChannel[T any](capacity int) *Channel[T] {
	return &Channel[T]{items: make(chan T, checked(capacity)), shut: make(chan struct{})}
}

// TryPush is false when the channel is full or closed.
func (q *Channel[T]) TryPush(item T) bool {
	if q.Closed() {
		return false
	}
	select {
	case q.items <- item:
		return true
	default:
		return false
	}
}

// TryPop takes the oldest item; false when there is none.
func (q *Channel[T]) TryPop() (T, bool) {
	select {
	case item := <-q.items:
		return item, true
	default:
		var none T
		return none, false
	}
}

// TryPushBatch pushes as many as there is room for, one by one, and says how many.
func (q *Channel[T]) TryPushBatch(items []T) int {
	for i, item := range items {
		if !q.TryPush(item) {
			return i
		}
	}
	return len(items)
}

// TryPopBatch pops as many as there are and fit, one by one, and says how many.
func (q *Channel[T]) TryPopBatch(items []T) int {
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
func (q *Channel[T]) Push(ctx context.Context, item T) error {
	if q.TryPush(item) {
		return nil
	}
	if q.Closed() {
		return ErrClosed
	}
	select {
	case q.items <- item:
		return nil
	case <-q.shut:
		return ErrClosed
	case <-ctx.Done():
		if q.TryPush(item) {
			return nil
		}
		return ctx.Err()
	}
}

// Pop waits for an item.
func (q *Channel[T]) Pop(ctx context.Context) (T, error) {
	closed := q.Closed() // before the look, which then sees what was pushed before that
	item, ok := q.TryPop()
	switch {
	case ok:
		return item, nil
	case closed:
		return item, ErrClosed
	}
	select {
	case item := <-q.items:
		return item, nil
	case <-q.shut:
		// Both may have been ready: what was pushed before goes first.
		if item, ok := q.TryPop(); ok {
			return item, nil
		}
		return item, ErrClosed
	case <-ctx.Done():
		if item, ok := q.TryPop(); ok {
			return item, nil
		}
		return item, ctx.Err()
	}
}

// PushBatch waits until all have been pushed, and says how many were.
func (q *Channel[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	for i, item := range items {
		if err := q.Push(ctx, item); err != nil {
			return i, err
		}
	}
	return len(items), nil
}

// PopBatch waits for an item, and pops as many as there are and fit.
func (q *Channel[T]) PopBatch(ctx context.Context, items []T) (int, error) {
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

// Close ends the pushing.
func (q *Channel[T]) Close() {
	q.once.Do(func() { close(q.shut) })
}

// Closed is whether Close was called.
func (q *Channel[T]) Closed() bool {
	select {
	case <-q.shut:
		return true
	default:
		return false
	}
}

// Drained is whether the channel is closed and nothing is left.
func (q *Channel[T]) Drained() bool {
	return q.Closed() && len(q.items) == 0
}

// Len is how many items there are, at about this time.
func (q *Channel[T]) Len() int { return len(q.items) }

// Cap is how many items it holds at most.
func (q *Channel[T]) Cap() int { return cap(q.items) }
