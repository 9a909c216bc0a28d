package tick

import "time"

// In nanoseconds, except mostReadings.
const (
	lastStretch    = 20_000        // if no more remains, the counter is trusted for all of it
	longestStretch = 1_000_000_000 // maximum time between two readings of the clock
	rateWindow     = 20_000        // minimum time to measure a rate: within 1 % if 100 ns pass between the two readings
	mostReadings   = 1 << 15       // maximum readings of the counter between two readings of the clock
)

// pacer decides by a counter when to read the clock; reading the clock is called a look. Its
// callers supply both, so that tests can simulate them.
type pacer struct {
	calls    int    // calls until the counter is read again, at least 1
	every    int    // calls from one reading of the counter to the next: 2, in the last stretch 1
	looked   uint64 // the counter at the last look
	stretch  uint64 // counts from there until the next look
	readings int    // readings of the counter until a look is forced, at least 1

	grid  grid
	blind uint64 // stretch while the rate is unknown, in counts

	// The start of the current measurement of the rate.
	anchor     uint64
	anchorTime int64
	measured   float64 // last measurement, in counts per nanosecond; 0: none yet
	rate       float64 // confirmed rate, in counts per nanosecond; 0: none

	recalibrations uint64
}

// Where both are read, the counter comes first. If the thread sleeps in between, the stretch starts
// before that sleep, and the next look comes early. In the other order it would come late, by up to
// the length of the sleep.

func (p *pacer) start(clock func() int64, counter func() uint64, period time.Duration) {
	count := counter()
	now := clock()
	p.grid = newGrid(now, period)
	p.anchor, p.anchorTime = count, now
	p.trust(now, count)
}

// startOver sets the next due moment to one period from now. It keeps the measured rate.
func (p *pacer) startOver(clock func() int64, counter func() uint64) {
	count := counter()
	now := clock()
	p.grid.next = later(now, p.grid.period)
	p.trust(now, count)
}

// skip reports whether this call need not read the counter.
func (p *pacer) skip() bool {
	p.calls--
	return p.calls != 0
}

// early reports whether a call that has read the counter need not read the clock yet.
func (p *pacer) early(count uint64) bool {
	p.calls = p.every
	p.readings--
	// Unsigned arithmetic: a count before the last look is also far away from it.
	return count-p.looked < p.stretch && p.readings != 0
}

// lookBy reads the counter and the clock, and reports whether a due moment has passed.
func (p *pacer) lookBy(clock func() int64, counter func() uint64) bool {
	count := counter()
	return p.lookAt(clock(), count)
}

// lookAt is lookBy for readings that the caller has made.
func (p *pacer) lookAt(now int64, count uint64) bool {
	due := p.grid.due(now)
	p.calibrate(now, count)
	p.trust(now, count)
	return due
}

func (p *pacer) calibrate(now int64, count uint64) {
	steppedBack := count < p.anchor || now < p.anchorTime
	passed := now - p.anchorTime
	if !steppedBack && passed < rateWindow {
		return
	}
	rate := float64(count-p.anchor) / float64(passed)
	p.anchor, p.anchorTime = count, now
	if steppedBack {
		p.recalibrations++
		p.measured, p.rate = 0, 0
		return
	}
	agrees := rate <= 2*p.measured && rate >= p.measured/2
	if p.measured > 0 && !agrees {
		p.recalibrations++
	}
	p.measured = rate
	if agrees {
		p.rate = rate
	} else {
		p.rate = 0
	}
}

// trust sets the stretch until the next look.
func (p *pacer) trust(now int64, count uint64) {
	p.looked, p.readings = count, mostReadings
	p.stretch = p.blind
	p.calls, p.every = 1, 1
	if p.rate <= 0 {
		return
	}
	remaining := max(0, p.grid.next-now)
	if remaining > lastStretch {
		remaining /= 2
		p.calls, p.every = 2, 2
	}
	p.stretch = uint64(p.rate*float64(min(remaining, longestStretch))) + 1
}
