package tick

import (
	"fmt"
	"time"
)

// LargestBatch is the maximum number of calls that a Batch makes without reading the clock.
const LargestBatch = 1 << 16

// A Batch reads the monotonic clock once in a batch of calls. Only one goroutine at a time may use
// it.
//
// A batch takes at most half of lateness * period at the pace of the previous batch. So a tick is
// late by less than lateness * period, or than one call, as long as no batch is more than twice as
// slow as the one before. A slower batch adds its excess, once. The first batch is one call; each
// is at most twice as long as the previous one and never longer than LargestBatch. A loop that
// blocks calls [Batch.Now] when it resumes.
type Batch struct {
	left   int // calls until the end of the batch, at least 1
	size   int
	grid   grid
	budget float64 // maximum duration of a batch in nanoseconds
	since  int64   // when the clock last changed
	calls  int     // calls since then
}

// NewBatch returns a Batch whose ticks are late by at most the fraction lateness of the period. It
// panics unless lateness is above 0 and at most 1.
func NewBatch(period time.Duration, lateness float64) *Batch {
	if !(lateness > 0 && lateness <= 1) {
		panic(fmt.Sprintf("tick: the lateness must be above 0 and at most 1, not %v", lateness))
	}
	now := monotonic()
	return &Batch{left: 1, size: 1, grid: newGrid(now, period), budget: lateness / 2 * float64(period), since: now}
}

// Tick reports whether a due moment has passed since it or [Batch.Now] last returned true.
func (t *Batch) Tick() bool {
	t.left--
	return t.left == 0 && t.ask()
}

// Now reports the same as [Batch.Tick], but always reads the clock: it reports whether a due moment has
// passed since either last returned true.
func (t *Batch) Now() bool {
	// Ends the batch: it has made size - left calls so far, and this one.
	t.size -= t.left - 1
	t.left = 1
	return t.Tick()
}

//go:noinline
func (t *Batch) ask() bool {
	now := monotonic()
	t.calls += t.size
	fitting := 2 * t.size
	switch {
	case now < t.since:
		fitting = 1 // a clock that stepped back says nothing about the pace
	case now > t.since:
		// Compared as floats: the quotient may not fit in an int.
		if pace := float64(t.calls) * t.budget / float64(now-t.since); pace < float64(fitting) {
			fitting = int(pace)
		}
	}
	if now != t.since {
		t.since = now
		t.calls = 0
	}
	t.size = max(1, min(fitting, LargestBatch))
	t.left = t.size
	return t.grid.due(now)
}

// Size returns the number of calls in the current batch.
func (t *Batch) Size() int { return t.size }

// Missed returns the number of due moments that did not get a tick of their own.
func (t *Batch) Missed() uint64 { return t.grid.missed }

// Period returns the time between due moments.
func (t *Batch) Period() time.Duration { return time.Duration(t.grid.period) }

// Reset restarts the grid: the next due moment is one period from now.
func (t *Batch) Reset() {
	now := monotonic()
	t.grid.next = later(now, t.grid.period)
	t.since, t.calls = now, 0
	t.left, t.size = 1, 1
}
