package tick_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fathom.dev/go/tick"
)

// ticker is the interface that loops use.
type ticker interface {
	Tick() bool
	Missed() uint64
	Period() time.Duration
	Reset()
}

// kinds are the tickers that depend on the clock alone, which a bubble of synctest replaces.
var kinds = []struct {
	name string
	make func(period time.Duration) ticker
}{
	{"Mono", func(period time.Duration) ticker { return tick.NewMono(period) }},
	{"Batch", func(period time.Duration) ticker { return tick.NewBatch(period, 0.5) }},
}

func forAll(t *testing.T, test func(t *testing.T, make func(period time.Duration) ticker)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, k.make) })
		})
	}
}

const period = time.Second

// In a bubble, time passes only in time.Sleep, and by exactly the requested duration.

func TestTicksOncePerDueMomentAndNeverEarly(t *testing.T) {
	forAll(t, func(t *testing.T, make func(time.Duration) ticker) {
		ticker := make(period)
		if ticker.Period() != period {
			t.Fatal(ticker.Period())
		}
		for range 5 {
			time.Sleep(period - 1)
			for range 3 {
				if ticker.Tick() {
					t.Fatal("early")
				}
			}
			time.Sleep(time.Nanosecond)
			ticks := 0
			for range 10 {
				if ticker.Tick() {
					ticks++
				}
			}
			if ticks != 1 {
				t.Fatalf("%d ticks for one due moment", ticks)
			}
		}
		if ticker.Missed() != 0 {
			t.Fatalf("%d missed", ticker.Missed())
		}
	})
}

func TestLateTicksMoveNoDueMoment(t *testing.T) {
	forAll(t, func(t *testing.T, make func(time.Duration) ticker) {
		ticker := make(period)
		start := time.Now()
		ticks := 0
		// A loop whose iterations take 0.3 s is late for most due moments, but the ticks stay on
		// the grid.
		for turn := range 1000 {
			time.Sleep(300 * time.Millisecond)
			if ticker.Tick() {
				ticks++
				late := time.Since(start) - time.Duration(ticks)*period
				if late < 0 || late >= 300*time.Millisecond {
					t.Fatalf("turn %d: tick %d is %v late", turn, ticks, late)
				}
			}
		}
		if ticks != 300 || ticker.Missed() != 0 {
			t.Fatalf("%d ticks in 300 s, %d missed", ticks, ticker.Missed())
		}
	})
}

func TestMissedMomentsShareOneTickAndAreCounted(t *testing.T) {
	forAll(t, func(t *testing.T, make func(time.Duration) ticker) {
		ticker := make(period)
		time.Sleep(3*period + period/2)
		if !ticker.Tick() {
			t.Fatal("no tick")
		}
		if ticker.Tick() {
			t.Fatal("a second tick for the same moments")
		}
		if got := ticker.Missed(); got != 2 {
			t.Fatalf("%d missed instead of 2", got)
		}
		time.Sleep(period/2 - 1)
		if ticker.Tick() {
			t.Fatal("early: the grid has moved")
		}
		time.Sleep(time.Nanosecond)
		if !ticker.Tick() {
			t.Fatal("late: the grid has moved")
		}
	})
}

func TestResetRestartsTheGrid(t *testing.T) {
	forAll(t, func(t *testing.T, make func(time.Duration) ticker) {
		ticker := make(period)
		time.Sleep(period - 1)
		ticker.Reset()
		time.Sleep(period - 1)
		if ticker.Tick() {
			t.Fatal("early after Reset")
		}
		time.Sleep(time.Nanosecond)
		if !ticker.Tick() || ticker.Missed() != 0 {
			t.Fatal("no tick a period after Reset, or one missed:", ticker.Missed())
		}
	})
}

func TestNonPositivePeriodsPanic(t *testing.T) {
	panics := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	for _, wrong := range []time.Duration{0, -1} {
		for _, k := range kinds {
			panics(k.name, func() { k.make(wrong) })
		}
		panics("TSC", func() { tick.NewTSC(wrong) })
	}
	for _, wrong := range []float64{0, -1, 1.1} {
		panics("lateness", func() { tick.NewBatch(period, wrong) })
	}
}

func TestLongestPeriodIsNeverDue(t *testing.T) {
	forAll(t, func(t *testing.T, make func(time.Duration) ticker) {
		ticker := make(1<<63 - 1)
		time.Sleep(24 * 365 * time.Hour)
		if ticker.Tick() {
			t.Fatal("due")
		}
	})
}

func TestBatchIsLateByAtMostItsFractionOfThePeriod(t *testing.T) {
	for _, lateness := range []float64{0.001, 0.1, 1} {
		for _, turn := range []time.Duration{37 * time.Microsecond, time.Millisecond, 3 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				ticker := tick.NewBatch(period, lateness)
				start := time.Now()
				bound := max(time.Duration(lateness*float64(period)), turn)
				ticks := 0
				for elapsed := time.Duration(0); elapsed < 3*max(period, turn); {
					time.Sleep(turn)
					elapsed = time.Since(start)
					due := int(elapsed / period)
					if ticker.Tick() {
						ticks = due
					} else if late := elapsed - time.Duration(ticks+1)*period; late >= bound {
						t.Fatalf("lateness %v, turns of %v: %v late in a batch of %d", lateness, turn, late, ticker.Size())
					}
				}
			})
		}
	}
}

func TestBatchFollowsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := tick.NewBatch(period, 0.1)
		run := func(turn time.Duration, turns int) {
			for range turns {
				time.Sleep(turn)
				ticker.Tick()
			}
		}
		if ticker.Size() != 1 {
			t.Fatal("the first batch has", ticker.Size())
		}
		run(time.Microsecond, 300_000)
		if size := ticker.Size(); size < 25_000 || size > 50_000 {
			t.Fatalf("%d calls in 50 ms of 1 us each", size)
		}
		run(time.Millisecond, 60_000)
		if size := ticker.Size(); size < 25 || size > 50 {
			t.Fatalf("%d calls in 50 ms of 1 ms each", size)
		}
		run(period, 100)
		if ticker.Size() != 1 {
			t.Fatal(ticker.Size(), "calls in 50 ms of 1 s each")
		}
	})
}

func TestBatchSizeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := tick.NewBatch(period, 1)
		for range 10 * tick.LargestBatch { // the clock stands still
			if ticker.Tick() {
				t.Fatal("early")
			}
		}
		if ticker.Size() != tick.LargestBatch {
			t.Fatal(ticker.Size())
		}
		time.Sleep(period)
		if !ticker.Now() {
			t.Fatal("Now did not read the clock")
		}
		if ticker.Now() {
			t.Fatal("the same tick twice")
		}
	})
}

func TestMonoGivesEachTickToOneGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := tick.NewMono(period)
		for range 100 {
			time.Sleep(period)
			var ticks atomic.Int32
			var asking sync.WaitGroup
			for range 8 {
				asking.Go(func() {
					for range 10 {
						if ticker.Tick() {
							ticks.Add(1)
						}
						runtime.Gosched()
					}
				})
			}
			asking.Wait()
			if ticks.Load() != 1 {
				t.Fatalf("%d ticks", ticks.Load())
			}
		}
	})
}

// With the real counter, ticks are never early by the clock and stay on the grid.
func TestTSCTicksByTheClock(t *testing.T) {
	const short = 200 * time.Microsecond
	before := time.Now()
	ticker, err := tick.NewTSC(short)
	if errors.Is(err, tick.ErrNoCounter) {
		t.Skip(err)
	}
	if ticker.Period() != short {
		t.Fatal(ticker.Period())
	}
	ticks := uint64(0)
	for ticks+ticker.Missed() < 200 {
		if ticker.Tick() {
			ticks++
			if passed := time.Since(before); passed < time.Duration(ticks+ticker.Missed())*short {
				t.Fatalf("%d due moments in %v", ticks+ticker.Missed(), passed)
			}
		}
	}
	ticker.Reset()
	for range 3 {
		for !ticker.Tick() {
		}
	}
}

func TestTicksDoNotAllocate(t *testing.T) {
	tickers := map[string]ticker{
		"Mono": tick.NewMono(time.Microsecond), "Batch": tick.NewBatch(time.Microsecond, 1),
	}
	if tsc, err := tick.NewTSC(time.Microsecond); err == nil {
		tickers["TSC"] = tsc
	}
	for name, ticker := range tickers {
		if n := testing.AllocsPerRun(1000, func() { ticker.Tick(); ticker.Reset() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
