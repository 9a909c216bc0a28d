package tick

import (
	"fmt"
	"time"
)

// LargestBatch is how many calls a Batch lets pass at most without asking the clock.
const LargestBatch = 1 << 16

// Batch asks the monotonic clock once in a batch of calls. It belongs to one goroutine at a time.
//
// A batch lasts at most half of lateness * period at the pace of the one before. So a tick is late by
// less than all of that, or than one call, as long as no batch is more than twice as slow as the one
// before; a batch that is adds the excess, once. A batch is one call at first, at most twice the last
// one, and never more than LargestBatch. Who lets its loop wait for something calls Now when it goes
// on.
type Batch struct {
	left   int // calls until the end of the batch, at least 1
	size   int
	grid   grid
	budget float64 // nanoseconds that a batch may take
	since  int64   // when the clock last moved
	calls  int     // since then
}

// NewBatch makes a Batch whose ticks are late by at most so much of the period, above 0 and at most 1.
func NewBatch(period time.Duration, lateness float64) *Batch {
	if !(lateness > 0 && lateness <= 1) {
		panic(fmt.Sprintf("tick: the lateness must be above 0 and at most 1, not %v", lateness))
	}
	now := monotonic()
	return &Batch{left: 1, size: 1, grid: newGrid(now, period), budget: lateness / 2 * float64(period), since: now}
}

// Tick is whether it is time.
func (t *Batch) Tick() bool {
	t.left--
	return t.left == 0 && t.ask()
}

// Now is Tick, but asks the clock in any case.
func (t *Batch) Now() bool {
	// The batch ends here: so many calls of it were made, and this one.
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
		fitting = 1 // a clock that went back says nothing about the pace
	case now > t.since:
		// Compared as floats: the quotient may be beyond an int.
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

// Size is how many calls the current batch has.
func (t *Batch) Size() int { return t.size }

// Missed is how many due moments had no tick of their own.
func (t *Batch) Missed() uint64 { return t.grid.missed }

// Period is the distance between due moments.
func (t *Batch) Period() time.Duration { return time.Duration(t.grid.period) }

// Reset starts over: the next due moment is a period from now.
func (t *Batch) Reset() {
	now := monotonic()
	t.grid.next = later(now, t.grid.period)
	t.since, t.calls = now, 0
	t.left, t.size = 1, 1
}
