package tick

import (
	"errors"
	"time"
)

// ErrNoCounter is the error of [NewTSC] if the processor has no counter that keeps its rate in all
// power states, or if Go programs cannot read it.
var ErrNoCounter = errors.New("tick: this processor has no readable counter with a constant rate")

// A TSC reads the processor's counter at every other call, and the clock when the counter says that
// the period has ended. The counter is the time-stamp counter of amd64 or the generic timer of
// arm64. Only one goroutine at a time may use a TSC.
//
// The clock alone decides what is due, so no behavior of the counter can make a tick early or move
// a due moment. TSC measures the counter's rate between readings of the clock, continually, and
// trusts it when two measurements agree; the constructor does not spend time on this. It trusts the
// counter for half of the remaining time, then for half of the rest at the next reading of the
// clock, and so on; for the last 20 us it trusts the counter to the end and reads it at each call.
// So even if the rate falls to half of the measured one, no tick is later than 20 us and two calls.
// If the counter steps back to before the last reading of the clock, the clock is read immediately;
// a smaller step back delays that by no more than the current stretch; and after 65536 calls the
// clock is read in any case.
type TSC struct {
	pacer
}

// NewTSC returns a TSC with the given period, or [ErrNoCounter].
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

// Tick reports whether a due moment has passed since it last returned true.
func (t *TSC) Tick() bool {
	return !t.skip() && t.read()
}

//go:noinline
func (t *TSC) read() bool {
	return !t.early(counter()) && t.look()
}

//go:noinline
func (t *TSC) look() bool {
	// Read the counter again: since the first reading the thread may have slept and moved to
	// another processor.
	return t.lookBy(monotonic, counter)
}

// Missed returns the number of due moments that did not get a tick of their own.
func (t *TSC) Missed() uint64 { return t.grid.missed }

// Period returns the time between due moments.
func (t *TSC) Period() time.Duration { return time.Duration(t.grid.period) }

// Recalibrations returns how often the counter was found to have stepped back, or its rate to have
// changed by a factor of two or more, so that the measured rate was discarded.
func (t *TSC) Recalibrations() uint64 { return t.recalibrations }

// Reset restarts the grid: the next due moment is one period from now.
func (t *TSC) Reset() {
	t.startOver(monotonic, counter)
}
