package tick

import (
	"errors"
	"time"
)

// ErrNoCounter is the error of NewTSC where the processor has no counter that keeps its rate in all
// states of power, or Go programs cannot read it.
var ErrNoCounter = errors.New("tick: no counter of a constant rate can be read here")

// TSC reads the processor's counter at every other call, and the clock when that says that it is time:
// the time-stamp counter of amd64, the generic timer of arm64. It belongs to one goroutine at a time.
//
// The clock alone decides what is due, so nothing that the counter does makes a tick early or moves a
// due moment. The counter's rate is measured between looks at the clock, over and over, and believed
// when two measurements agree; no time is spent on it in the constructor. The counter is trusted for
// half of the remaining time, then for half of what remains at the next look, and so on down to the
// last 20 us, for all of it; in those it is read at each call. So even when the rate falls to half of
// what was measured, no tick is later than 20 us and two calls. A counter that steps back to before the
// last look causes a look at once; one that steps back by less delays it by no more than the stretch it
// was in; and after 65536 calls there is a look in any case.
type TSC struct {
	pacer
}

// NewTSC makes a TSC, or returns ErrNoCounter.
func NewTSC(period time.Duration) (*TSC, error) {
	checked(period)
	blind, ok := counterBlind()
	if !ok {
		return nil, ErrNoCounter
	}
	t := &TSC{pacer{blind: blind}}
	t.start(monotonic, counter, period)
	return t, nil
}

// Tick is whether it is time.
func (t *TSC) Tick() bool {
	return !t.skip() && t.read()
}

//go:noinline
func (t *TSC) read() bool {
	return !t.early(counter()) && t.look()
}

//go:noinline
func (t *TSC) look() bool {
	// Read again: the thread may have slept, and moved to another processor, since the first time.
	return t.lookBy(monotonic, counter)
}

// Missed is how many due moments had no tick of their own.
func (t *TSC) Missed() uint64 { return t.grid.missed }

// Period is the distance between due moments.
func (t *TSC) Period() time.Duration { return time.Duration(t.grid.period) }

// Recalibrations is how often the counter was found to have jumped, or its rate to have doubled or
// halved, so that what was known of it was dropped.
func (t *TSC) Recalibrations() uint64 { return t.recalibrations }

// Reset starts over: the next due moment is a period from now.
func (t *TSC) Reset() {
	t.startOver(monotonic, counter)
}
