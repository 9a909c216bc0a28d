package tick

import (
	"sync"
	"sync/atomic"
	"time"
)

// Std selects on the channel of a time.Ticker at each call: the baseline. It is safe for concurrent
// use.
type Std struct {
	ticker *time.Ticker
	period time.Duration
	missed atomic.Uint64

	mu   sync.Mutex // guards grid, which only Reset and a Tick that returns true use
	grid grid
}

// NewStd returns a Std. The garbage collector can reclaim it without a call of Stop.
func NewStd(period time.Duration) *Std {
	checked(period)
	start := monotonic() // before the start of the time.Ticker, so that its ticks are never before the grid's
	return &Std{ticker: time.NewTicker(period), period: period, grid: newGrid(start, period)}
}

// Tick reports whether a due moment has passed since it last returned true in any goroutine.
func (t *Std) Tick() bool {
	select {
	case <-t.ticker.C:
		t.count()
		return true
	default:
		return false
	}
}

// count counts the due moments that time.Ticker drops: those that pass while an earlier tick is not
// yet received.
func (t *Std) count() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grid.due(monotonic())
	t.missed.Store(t.grid.missed)
}

// Missed returns the number of due moments that did not get a tick of their own.
func (t *Std) Missed() uint64 { return t.missed.Load() }

// Period returns the time between due moments.
func (t *Std) Period() time.Duration { return t.period }

// Reset restarts the grid: the next due moment is one period from now.
func (t *Std) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grid.next = later(monotonic(), int64(t.period))
	t.ticker.Reset(t.period)
}

// Stop stops the ticker: Tick returns false from then on.
func (t *Std) Stop() { t.ticker.Stop() }
