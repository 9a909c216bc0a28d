package tick

import (
	"sync/atomic"
	"time"
)

// A Mono reads the runtime's monotonic clock at each call. It is safe for concurrent use: exactly one
// goroutine gets each tick.
type Mono struct {
	period int64
	next   atomic.Int64
	missed atomic.Uint64
}

// NewMono returns a Mono with the given period.
func NewMono(period time.Duration) *Mono {
	t := &Mono{period: checked(period)}
	t.Reset()
	return t
}

// Tick reports whether a due moment has passed since it last returned true in any goroutine.
func (t *Mono) Tick() bool {
	now := monotonic()
	return now >= t.next.Load() && t.pass(now)
}

func (t *Mono) pass(now int64) bool {
	for {
		next := t.next.Load()
		if now < next || next == never {
			return false // another goroutine got it
		}
		following, missed := after(next, t.period, now)
		if t.next.CompareAndSwap(next, following) {
			if missed > 0 {
				t.missed.Add(missed)
			}
			return true
		}
	}
}

// Missed returns the number of due moments that did not get a tick of their own.
func (t *Mono) Missed() uint64 { return t.missed.Load() }

// Period returns the time between due moments.
func (t *Mono) Period() time.Duration { return time.Duration(t.period) }

// Reset restarts the grid: the next due moment is one period from now.
func (t *Mono) Reset() { t.next.Store(later(monotonic(), t.period)) }
