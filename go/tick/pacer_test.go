package tick

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// machine simulates a clock and a counter under the control of a test.
type machine struct {
	now   int64   // ns
	count float64 // counts
	rate  float64 // counts per nanosecond
	sleep int64   // time in ns that the thread sleeps, once, after the next reading in a look
	pacer pacer
}

func newMachine(rate float64, period time.Duration) *machine {
	m := &machine{now: 1_000_000, count: 5e9, rate: rate, pacer: pacer{blind: 4096}}
	m.pacer.start(m.readClock, m.readCounter, period)
	return m
}

func (m *machine) readClock() int64 {
	now := m.now
	m.wake()
	return now
}

func (m *machine) readCounter() uint64 {
	count := uint64(m.count)
	m.wake()
	return count
}

func (m *machine) wake() {
	slept := m.sleep
	m.sleep = 0
	m.pass(slept)
}

func (m *machine) pass(time int64) {
	m.now += time
	m.count += float64(time) * m.rate
}

// turn lets time pass and then does what TSC.Tick does.
func (m *machine) turn(passes int64) (ticked, looked bool) {
	m.pass(passes)
	if m.pacer.skip() || m.pacer.early(uint64(m.count)) {
		return false, false
	}
	return m.pacer.lookBy(m.readClock, m.readCounter), true
}

func (m *machine) run(t *testing.T, turns int, passes int64, atMostLate int64) (ticks, looks int) {
	t.Helper()
	for range turns {
		next := m.pacer.grid.next
		ticked, looked := m.turn(passes)
		if looked {
			looks++
		}
		if ticked {
			ticks++
			if m.now < next {
				t.Fatal("early")
			}
			if late := m.now - next; late > atMostLate {
				t.Fatalf("%d ns late", late)
			}
		}
	}
	return ticks, looks
}

const ms = int64(time.Millisecond)

func TestClockIsRarelyRead(t *testing.T) {
	m := newMachine(2.6, 10*time.Millisecond)
	m.run(t, 100_000, 10, lastStretch+2*10)
	ticks, looks := m.run(t, 10_000_000, 10, lastStretch+2*10) // 100 ms
	if ticks != 10 {
		t.Fatalf("%d ticks in ten periods", ticks)
	}
	// Halving from 10 ms to 20 us takes nine looks, and mostReadings adds 16 in 10 ms.
	if looks > 10*(12+16) {
		t.Fatalf("%d looks", looks)
	}
}

func TestTicksStayOnTheGridWhateverTheRateDoes(t *testing.T) {
	// The rate varies continually. Between two looks it changes by less than half, so the bound
	// holds.
	m := newMachine(1, 10*time.Millisecond)
	random := rand.New(rand.NewPCG(1, 2))
	ticks, begin := 0, m.now
	for range 2000 {
		m.rate = math.Min(10, math.Max(0.5, m.rate*(0.75+random.Float64()/2)))
		more, _ := m.run(t, 1000, 97, 10*ms)
		ticks += more
	}
	if due := (m.now - begin) / (10 * ms); int64(ticks)+int64(m.pacer.grid.missed) < due-1 || int64(ticks) > due {
		t.Fatalf("%d ticks, %d missed, %d due", ticks, m.pacer.grid.missed, due)
	}
}

func TestCounterSteppingBackNeitherAddsNorStopsTicks(t *testing.T) {
	for _, back := range []float64{100, 1e4, 1e6, 1e9, 4e9} {
		m := newMachine(2, 10*time.Millisecond)
		m.run(t, 1_000_000, 100, 10*ms)
		ticks := 0
		for range 20 {
			m.count -= back
			more, _ := m.run(t, 100_000, 100, 10*ms) // 10 ms each
			ticks += more
		}
		if ticks < 19 || ticks > 21 {
			t.Fatalf("stepping back by %v: %d ticks in 20 periods, %d missed", back, ticks, m.pacer.grid.missed)
		}
	}
}

func TestCounterSteppingForwardMakesNoTickEarly(t *testing.T) {
	for _, forward := range []float64{1e4, 1e7, 1e12, 1 << 62} {
		m := newMachine(2, 10*time.Millisecond)
		m.run(t, 1_000_000, 100, 10*ms)
		for range 20 {
			m.count = math.Mod(m.count+forward, 1<<63)
			if ticks, _ := m.run(t, 100_000, 100, 10*ms); ticks > 2 {
				t.Fatalf("stepping by %v: %d ticks in a period", forward, ticks)
			}
		}
	}
}

// One wrong measurement, such as when the thread sleeps between the two readings, is not trusted:
// it delays no tick.
func TestOneWrongRateIsNotTrusted(t *testing.T) {
	m := newMachine(2, 10*time.Millisecond)
	m.run(t, 1_000_000, 100, ms)
	for range 80 {
		m.count += 2e6 // jumps by a millisecond
		m.run(t, 307_777, 100, 2*lastStretch)
	}
}

// If the thread sleeps between the two readings of a look and wakes before the tick is due, the
// tick is not delayed.
func TestSleepBetweenTheReadingsDelaysNoTick(t *testing.T) {
	const passes = 100
	m := newMachine(2, 10*time.Millisecond)
	m.run(t, 1_000_000, passes, ms)
	for _, part := range []float64{0.1, 0.3, 0.5, 0.7, 0.9, 0.98} {
		for _, at := range []int64{ms, 2 * ms, 4 * ms, 9 * ms} {
			for m.pacer.grid.next-m.now <= at {
				m.turn(passes)
			}
			// The first look with at most `at` left.
			next, slept := m.pacer.grid.next, false
			for !slept {
				if left := next - m.now; left <= at {
					m.sleep = int64(part * float64(left-passes))
				}
				_, looked := m.turn(passes)
				slept = looked && next-m.now < at
				m.sleep = 0
			}
			woke := m.now
			for m.pacer.grid.next == next {
				m.turn(passes)
			}
			if late := m.now - max(next, woke); late > 2*lastStretch {
				t.Errorf("slept for %v of the remaining time, at most %d ns: %d ns late", part, at, late)
			}
		}
	}
}

// The same in startOver.
func TestSleepDuringStartOverDelaysNoTick(t *testing.T) {
	m := newMachine(2, 10*time.Millisecond)
	m.run(t, 1_000_000, 100, ms)
	for range 20 {
		m.sleep = 9 * ms
		m.pacer.startOver(m.readClock, m.readCounter)
		if next := m.pacer.grid.next; next != m.now+10*ms {
			t.Fatalf("due %d ns after startOver", next-m.now)
		}
		if ticks, _ := m.run(t, 100_500, 100, 2*lastStretch); ticks != 1 {
			t.Fatalf("%d ticks in a period", ticks)
		}
	}
}

func TestStoppedCounterDelaysTicksByABoundedNumberOfCalls(t *testing.T) {
	m := newMachine(2, time.Millisecond)
	m.run(t, 100_000, 100, ms)
	m.rate = 0
	if ticks, _ := m.run(t, 20*mostReadings, 100, 2*mostReadings*100+ms); ticks < 9 {
		t.Fatalf("%d ticks", ticks)
	}
}

func TestNoTickUntilASteppedBackClockCatchesUp(t *testing.T) {
	m := newMachine(2, 10*time.Millisecond)
	m.run(t, 1_000_000, 100, ms)
	m.now -= 50 * ms
	if ticks, _ := m.run(t, 450_000, 100, 10*ms); ticks > 1 {
		t.Fatalf("%d ticks while the clock caught up", ticks)
	}
	if ticks, _ := m.run(t, 1_000_000, 100, 10*ms); ticks < 9 {
		t.Fatalf("%d ticks in ten periods afterwards", ticks)
	}
}

func TestChangedRatesAreMeasuredAgain(t *testing.T) {
	m := newMachine(2, 10*time.Millisecond)
	m.run(t, 1_000_000, 100, 10*ms)
	was := m.pacer.recalibrations
	m.rate = 0.5
	m.run(t, 1_000_000, 100, 10*ms)
	if m.pacer.recalibrations == was {
		t.Fatal("the change to a quarter of the rate was not noticed")
	}
	if rate := m.pacer.rate; rate < 0.49 || rate > 0.51 {
		t.Fatalf("rate %v", rate)
	}
}

// The counter is read at every other call while the due moment is far away, and at each call when
// it is close.
func TestCallsAreSkippedExceptInTheLastStretch(t *testing.T) {
	m := newMachine(2, 10*time.Millisecond)
	m.run(t, 1_000_000, 10, 10*ms)
	far, close := 0, 0
	for range 100_000 {
		left := m.pacer.grid.next - m.now
		skips := m.pacer.calls > 1
		switch m.turn(10); {
		case left > 2*lastStretch && skips:
			far++
		case left < lastStretch/2 && skips:
			close++
		}
	}
	if far < 45_000 || close > 0 {
		t.Fatalf("%d calls skipped far from the due moment, %d close to it", far, close)
	}
}

// A counter with few counts per microsecond, like that of arm64.
func TestSlowCounterSuffices(t *testing.T) {
	m := newMachine(0.024, 10*time.Millisecond)
	m.pacer.blind = 49
	m.pacer.trust(m.now, uint64(m.count))
	m.run(t, 1_050_000, 100, 2*lastStretch)
	if ticks, _ := m.run(t, 1_000_000, 100, 2*lastStretch); ticks != 10 {
		t.Fatalf("%d ticks in ten periods", ticks)
	}
}

func FuzzGrid(f *testing.F) {
	f.Add(int64(0), int64(1), int64(10))
	f.Add(int64(math.MaxInt64-5), int64(3), int64(math.MaxInt64))
	f.Add(int64(100), int64(math.MaxInt64), int64(math.MaxInt64-1))
	f.Add(int64(-50), int64(7), int64(1000))
	f.Fuzz(func(t *testing.T, start, period, now int64) {
		if period <= 0 || now < start {
			t.Skip()
		}
		g := newGrid(start, time.Duration(period))
		first := g.next
		if first != never && first != start+period {
			t.Fatal("first due moment", first)
		}
		due := g.due(now)
		if first == never {
			if due {
				t.Fatal("a grid that has ended is due")
			}
			return
		}
		if due != (now >= first) {
			t.Fatalf("due %v at %d, first %d", due, now, first)
		}
		if !due {
			return
		}
		if g.next <= now && g.next != never {
			t.Fatalf("next %d is not after %d", g.next, now)
		}
		if g.next != never {
			if g.missed != uint64(g.next-first)/uint64(period)-1 || uint64(g.next-first)%uint64(period) != 0 {
				t.Fatalf("off the grid: first %d, next %d, period %d, missed %d", first, g.next, period, g.missed)
			}
			if uint64(g.next-now) > uint64(period) {
				t.Fatal("skipped a due moment")
			}
		}
		if g.due(now) {
			t.Fatal("due twice")
		}
	})
}

// Moves the counter and the clock arbitrarily: no tick is early or off the grid, and nothing
// overflows.
func FuzzPacer(f *testing.F) {
	f.Add(int64(1000), []byte{1, 2, 3, 200, 100, 0, 255})
	f.Add(int64(1<<40), []byte{255, 255, 0, 0, 128, 7})
	f.Fuzz(func(t *testing.T, period int64, steps []byte) {
		if period <= 0 {
			t.Skip()
		}
		now, count := int64(0), uint64(1<<40)
		p := pacer{blind: 100}
		p.start(func() int64 { return now }, func() uint64 { return count }, time.Duration(period))
		for i, step := range steps {
			// The low bits choose which of the two moves, the high bits how far.
			far := int64(1) << (step >> 2)
			if far < 0 {
				far = math.MaxInt64
			}
			switch step & 3 {
			case 0:
				now = later(now, far)
			case 1:
				now -= min(far, now)
			case 2:
				count += uint64(far)
			case 3:
				count -= uint64(far)
			}
			first := p.grid.next
			if !p.skip() && !p.early(count) && p.lookAt(now, count) && now < first {
				t.Fatalf("step %d: early", i)
			}
			if p.calls < 1 || p.readings < 1 {
				t.Fatalf("step %d: %d calls left, %d readings", i, p.calls, p.readings)
			}
		}
		// Whatever has happened so far: when a due moment comes and the counter stands still, it
		// ticks.
		if p.grid.next == never {
			return
		}
		now = p.grid.next
		for range 2 * mostReadings {
			if !p.skip() && !p.early(count) && p.lookAt(now, count) {
				return
			}
		}
		t.Fatal("stalled")
	})
}
