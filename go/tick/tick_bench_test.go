package tick_test

import (
	"testing"
	"time"

	"fathom.dev/go/internal/baseline"
	"fathom.dev/go/tick"
)

// Except where they say otherwise, these benchmarks have such a long period that they measure the
// answer "no".

const long = time.Hour

var sinkTick bool

func check(b *testing.B, ticked bool) {
	if ticked {
		b.Fatal("an hour has passed")
	}
	sinkTick = ticked
}

func newTicker(b *testing.B) baseline.Ticker {
	t := baseline.Ticker{Ticker: time.NewTicker(long)}
	b.Cleanup(t.Stop)
	return t
}

func newTSC(b *testing.B, period time.Duration) *tick.TSC {
	t, err := tick.NewTSC(period)
	if err != nil {
		b.Skip(err)
	}
	return t
}

// checkTicks fails the benchmark if there were more ticks than due moments of 100 ms.
func checkTicks(b *testing.B, ticks int) {
	if passed := int(b.Elapsed() / (100 * time.Millisecond)); ticks > passed+1 {
		b.Fatalf("%d ticks in %v", ticks, b.Elapsed())
	}
}

// The loops are repeated because Tick is inlined into them: a call through a function would hide
// most of what is measured.
func BenchmarkTick(b *testing.B) {
	b.Run("Ticker", func(b *testing.B) {
		t := newTicker(b)
		b.ReportAllocs()
		ticked := false
		for range b.N {
			ticked = t.Tick()
		}
		check(b, ticked)
	})
	b.Run("Batch", func(b *testing.B) {
		t := tick.NewBatch(long, 0.01)
		b.ReportAllocs()
		ticked := false
		for range b.N {
			ticked = t.Tick()
		}
		check(b, ticked)
	})
	// With a realistic period: a batch takes 0.5 ms, and ticks happen.
	b.Run("Batch100ms", func(b *testing.B) {
		t := tick.NewBatch(100*time.Millisecond, 0.01)
		b.ReportAllocs()
		ticks := 0
		for range b.N {
			if t.Tick() {
				ticks++
			}
		}
		checkTicks(b, ticks)
	})
	b.Run("Mono", func(b *testing.B) {
		t := tick.NewMono(long)
		b.ReportAllocs()
		ticked := false
		for range b.N {
			ticked = t.Tick()
		}
		check(b, ticked)
	})
	b.Run("TSC", func(b *testing.B) {
		t := newTSC(b, long)
		b.ReportAllocs()
		ticked := false
		for range b.N {
			ticked = t.Tick()
		}
		check(b, ticked)
	})
	b.Run("TSC100ms", func(b *testing.B) {
		t := newTSC(b, 100*time.Millisecond)
		b.ReportAllocs()
		ticks := 0
		for range b.N {
			if t.Tick() {
				ticks++
			}
		}
		checkTicks(b, ticks)
	})
}

func BenchmarkTickInterface(b *testing.B) {
	run := func(b *testing.B, t interface{ Tick() bool }) {
		b.ReportAllocs()
		ticked := false
		for range b.N {
			ticked = t.Tick()
		}
		check(b, ticked)
	}
	b.Run("Ticker", func(b *testing.B) { run(b, newTicker(b)) })
	b.Run("Batch", func(b *testing.B) { run(b, tick.NewBatch(long, 0.01)) })
	b.Run("Mono", func(b *testing.B) { run(b, tick.NewMono(long)) })
}

func BenchmarkTickParallel(b *testing.B) {
	run := func(b *testing.B, tick func() bool) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if tick() {
					b.Error("an hour has passed")
				}
			}
		})
	}
	b.Run("Ticker", func(b *testing.B) { run(b, newTicker(b).Tick) })
	b.Run("Mono", func(b *testing.B) { run(b, tick.NewMono(long).Tick) })
}

func BenchmarkReset(b *testing.B) {
	run := func(b *testing.B, reset func(), tick func() bool) {
		b.ReportAllocs()
		for range b.N {
			reset()
		}
		check(b, tick())
	}
	b.Run("Ticker", func(b *testing.B) {
		t := newTicker(b)
		run(b, func() { t.Reset(long) }, t.Tick)
	})
	b.Run("Batch", func(b *testing.B) {
		t := tick.NewBatch(long, 0.01)
		run(b, t.Reset, t.Tick)
	})
	b.Run("Mono", func(b *testing.B) {
		t := tick.NewMono(long)
		run(b, t.Reset, t.Tick)
	})
	b.Run("TSC", func(b *testing.B) {
		t := newTSC(b, long)
		run(b, t.Reset, t.Tick)
	})
}
