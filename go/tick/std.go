package tick

import (
	"sync"
	"sync/atomic"
	"time"
)

// Std selects on the channel of a time.Ticker at each call: the baseline. Any goroutines may use it.
type Std struct {
	ticker *time.Ticker
	period time.Duration
	missed atomic.Uint64

	mu   sync.Mutex // guards what follows, which only a Tick that is true touches
	grid grid
}

// NewStd makes a Std. It needs no Stop to be collected.
func NewStd(period time.Duration) *Std {
	checked(period)
	start := monotonic() // not after the time.Ticker's, so that its ticks are due in the grid, too
	return &Std{ticker: time.NewTicker(period), period: period, grid: newGrid(start, period)}
}

// Tick is whether it is time.
func (t *Std) Tick() bool {
	select {
	case <-t.ticker.C:
		t.count()
		return true
	default:
		return false
	}
}

// count finds out what time.Ticker drops: each due moment that passed while one was not yet received.
func (t *Std) count() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grid.due(monotonic())
	t.missed.Store(t.grid.missed)
}

// Missed is how many due moments had no tick of their own.
func (t *Std) Missed() uint64 { return t.missed.Load() }

// Period is the distance between due moments.
func (t *Std) Period() time.Duration { return t.period }

// Reset starts over: the next due moment is a period from now.
func (t *Std) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grid.next = later(monotonic(), int64(t.period))
	t.ticker.Reset(t.period)
}

// Stop ends the ticks.
func (t *Std) Stop() { t.ticker.Stop() }
