package tick

import "time"

// In nanoseconds, but for mostReadings.
const (
	lastStretch    = 20_000        // what the counter is trusted with to the end
	longestStretch = 1_000_000_000 // and at once
	rateWindow     = 20_000        // what a rate is measured over: right within 1 % at 100 ns between two readings
	mostReadings   = 1 << 15       // of the counter without a look
)

// pacer tells by a counter when to look at the clock. It knows neither: tests bring their own.
type pacer struct {
	calls    int    // until the counter is read again, at least 1
	every    int    // how many there are from one reading to the next: 2, and in the last stretch 1
	looked   uint64 // the counter at the last look
	stretch  uint64 // how far it may go from there
	readings int    // until the next look in any case, at least 1

	grid  grid
	blind uint64 // the stretch while the rate is unknown, in counts

	// Where the measurement of the rate begins.
	anchor     uint64
	anchorTime int64
	measured   float64 // counts in a nanosecond, the last time; 0: not yet
	rate       float64 // the same, believed; 0: none

	recalibrations uint64
}

// Where both are read, the counter is read first. If the thread sleeps in between, what the counter is
// trusted with then counts from before that sleep, and the next look comes early. The other way round it
// would come late, by up to as long as the thread slept.

func (p *pacer) start(clock func() int64, counter func() uint64, period time.Duration) {
	count := counter()
	now := clock()
	p.grid = newGrid(now, period)
	p.anchor, p.anchorTime = count, now
	p.trust(now, count)
}

// startOver puts the next due moment a period from now. What is known of the counter stays.
func (p *pacer) startOver(clock func() int64, counter func() uint64) {
	count := counter()
	now := clock()
	p.grid.next = later(now, p.grid.period)
	p.trust(now, count)
}

// skip is whether this call need not read the counter.
func (p *pacer) skip() bool {
	p.calls--
	return p.calls != 0
}

// early is whether there is no need for a look yet, of a call that has read the counter.
func (p *pacer) early(count uint64) bool {
	p.calls = p.every
	p.readings--
	// Unsigned: what lies before the last look is far away from it, too.
	return count-p.looked < p.stretch && p.readings != 0
}

// lookBy is whether it is time.
func (p *pacer) lookBy(clock func() int64, counter func() uint64) bool {
	count := counter()
	return p.lookAt(clock(), count)
}

// lookAt is whether it is time, by what was read of both.
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
