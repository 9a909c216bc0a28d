// Package baseline holds what the benchmarks compare the packages of this module with: a context, a
// channel and a time.Ticker as a loop polls them, with the methods of their counterparts.
package baseline

import (
	"context"
	"time"
)

// Context is a context that is polled like a cancel.Flag.
type Context struct{ context.Context }

// Canceled reports whether the context is done.
func (c Context) Canceled() bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

// Channel is a buffered channel that is polled like the queues of package queue.
type Channel[T any] chan T

// TryPush tries to send item and reports whether it succeeded.
func (c Channel[T]) TryPush(item T) bool {
	select {
	case c <- item:
		return true
	default:
		return false
	}
}

// TryPop tries to receive an item. The ok result reports whether it succeeded.
func (c Channel[T]) TryPop() (item T, ok bool) {
	select {
	case item = <-c:
		return item, true
	default:
		return item, false
	}
}

// Ticker is a time.Ticker that is polled like the tickers of package tick.
type Ticker struct{ *time.Ticker }

// Tick reports whether there was a tick since it last returned true.
func (t Ticker) Tick() bool {
	select {
	case <-t.C:
		return true
	default:
		return false
	}
}
