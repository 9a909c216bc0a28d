package queue

import (
	"context"
	"sync"
)

// Channel is a buffered channel with the methods of this package. It is the baseline against which
// the rings are measured, and the right choice where they are not needed. Any goroutines may push
// and pop.
//
// Its Close is less exact than that of the rings: a push that overlaps Close may succeed although
// its item is never popped. Preventing that would need a lock around each push, which would make
// the baseline slower than a plain channel.
type Channel[T any] struct {
	items chan T
	shut  chan struct{} // closed by Close
	once  sync.Once
}

// NewChannel returns a Channel with the given capacity.
func NewChannel[T any](capacity int) *Channel[T] {
	return &Channel[T]{items: make(chan T, checked(capacity)), shut: make(chan struct{})}
}

// TryPush pushes an item. It returns false if the channel is full or closed.
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

// TryPop pops the oldest item. It returns false if the channel is empty.
func (q *Channel[T]) TryPop() (T, bool) {
	select {
	case item := <-q.items:
		return item, true
	default:
		var none T
		return none, false
	}
}

// TryPushBatch pushes as many items as fit, one by one, and returns their number.
func (q *Channel[T]) TryPushBatch(items []T) int {
	for i, item := range items {
		if !q.TryPush(item) {
			return i
		}
	}
	return len(items)
}

// TryPopBatch pops up to len(items) items, one by one, and returns their number.
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

// Push pushes an item, waiting until it fits.
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

// Pop pops the oldest item, waiting until there is one.
func (q *Channel[T]) Pop(ctx context.Context) (T, error) {
	closed := q.Closed() // read before TryPop, which then sees every item pushed before Close
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
		// If both were ready, items pushed before Close take precedence.
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

// PushBatch pushes all items, waiting as often as needed, and returns the number pushed.
func (q *Channel[T]) PushBatch(ctx context.Context, items []T) (int, error) {
	for i, item := range items {
		if err := q.Push(ctx, item); err != nil {
			return i, err
		}
	}
	return len(items), nil
}

// PopBatch waits for an item, then pops up to len(items) items without waiting again.
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

// Close closes the channel: further pushes fail.
func (q *Channel[T]) Close() {
	q.once.Do(func() { close(q.shut) })
}

// Closed reports whether Close was called.
func (q *Channel[T]) Closed() bool {
	select {
	case <-q.shut:
		return true
	default:
		return false
	}
}

// Drained reports whether the channel is closed and empty.
func (q *Channel[T]) Drained() bool {
	return q.Closed() && len(q.items) == 0
}

// Len returns the approximate number of items.
func (q *Channel[T]) Len() int { return len(q.items) }

// Cap returns the capacity.
func (q *Channel[T]) Cap() int { return cap(q.items) }
