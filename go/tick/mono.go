package tick

import (
	"sync/atomic"
	"time"
)

// Mono reads the runtime's monotonic clock at each call. Any goroutines may use it: exactly one of
// them gets each tick.
type Mono struct {
	period int64
	next   atomic.Int64
	missed atomic.Uint64
}

// NewMono makes a Mono.
func NewMono(period time.Duration) *Mono {
	t := &Mono{period: checked(period)}
	t.Reset()
	return t
}

// Tick is whether it is time.
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

// Missed is how many due moments had no tick of their own.
func (t *Mono) Missed() uint64 { return t.missed.Load() }

// Period is the distance between due moments.
func (t *Mono) Period() time.Duration { return time.Duration(t.period) }

// Reset starts over: the next due moment is a period from now.
func (t *Mono) Reset() { t.next.Store(later(monotonic(), t.period)) }
