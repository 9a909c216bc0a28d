package tick_test

import (
	"testing"
	"time"

	"fathom.dev/go/tick"
)

// The names and shapes of these benchmarks are those of the project that this package comes from;
// there, Mono was called Atomic. The period is so long that they measure the answer "no".

const long = time.Hour

type asked interface{ Tick() bool }

var sinkTick bool

func check(b *testing.B, ticked bool) {
	if ticked {
		b.Fatal("an hour has passed")
	}
	sinkTick = ticked
}

func newTSC(b *testing.B, period time.Duration) *tick.TSC {
	t, err := tick.NewTSC(period)
	if err != nil {
		b.Skip(err)
	}
	return t
}

func BenchmarkTick_Std_Direct(b *testing.B) {
	t := tick.NewStd(long)
	defer t.Stop()
	b.ReportAllocs()
	ticked := false
	for range b.N {
		ticked = t.Tick()
	}
	check(b, ticked)
}

func BenchmarkTick_Batch_Direct(b *testing.B) {
	t := tick.NewBatch(long, 0.01)
	b.ReportAllocs()
	ticked := false
	for range b.N {
		ticked = t.Tick()
	}
	check(b, ticked)
}

// With a realistic period: a batch takes 0.5 ms, and ticks happen.
func BenchmarkTick_Batch_100ms(b *testing.B) {
	t := tick.NewBatch(100*time.Millisecond, 0.01)
	b.ReportAllocs()
	ticks := 0
	for range b.N {
		if t.Tick() {
			ticks++
		}
	}
	if passed := int(b.Elapsed() / (100 * time.Millisecond)); ticks > passed+1 {
		b.Fatalf("%d ticks in %v", ticks, b.Elapsed())
	}
}

func BenchmarkTick_Atomic_Direct(b *testing.B) {
	t := tick.NewMono(long)
	b.ReportAllocs()
	ticked := false
	for range b.N {
		ticked = t.Tick()
	}
	check(b, ticked)
}

func BenchmarkTick_TSC_Direct(b *testing.B) {
	t := newTSC(b, long)
	b.ReportAllocs()
	ticked := false
	for range b.N {
		ticked = t.Tick()
	}
	check(b, ticked)
}

func BenchmarkTick_TSC_100ms(b *testing.B) {
	t := newTSC(b, 100*time.Millisecond)
	b.ReportAllocs()
	ticks := 0
	for range b.N {
		if t.Tick() {
			ticks++
		}
	}
	if passed := int(b.Elapsed() / (100 * time.Millisecond)); ticks > passed+1 {
		b.Fatalf("%d ticks in %v", ticks, b.Elapsed())
	}
}

func BenchmarkTick_Std_Interface(b *testing.B) {
	std := tick.NewStd(long)
	defer std.Stop()
	var t asked = std
	b.ReportAllocs()
	ticked := false
	for range b.N {
		ticked = t.Tick()
	}
	check(b, ticked)
}

func BenchmarkTick_Batch_Interface(b *testing.B) {
	var t asked = tick.NewBatch(long, 0.01)
	b.ReportAllocs()
	ticked := false
	for range b.N {
		ticked = t.Tick()
	}
	check(b, ticked)
}

func BenchmarkTick_Atomic_Interface(b *testing.B) {
	var t asked = tick.NewMono(long)
	b.ReportAllocs()
	ticked := false
	for range b.N {
		ticked = t.Tick()
	}
	check(b, ticked)
}

func BenchmarkTick_Std_Reset(b *testing.B) {
	t := tick.NewStd(long)
	defer t.Stop()
	b.ReportAllocs()
	for range b.N {
		t.Reset()
	}
	check(b, t.Tick())
}

func BenchmarkTick_Atomic_Reset(b *testing.B) {
	t := tick.NewMono(long)
	b.ReportAllocs()
	for range b.N {
		t.Reset()
	}
	check(b, t.Tick())
}

func BenchmarkTick_Batch_Reset(b *testing.B) {
	t := tick.NewBatch(long, 0.01)
	b.ReportAllocs()
	for range b.N {
		t.Reset()
	}
	check(b, t.Tick())
}

func BenchmarkTick_TSC_Reset(b *testing.B) {
	t := newTSC(b, long)
	b.ReportAllocs()
	for range b.N {
		t.Reset()
	}
	check(b, t.Tick())
}

func BenchmarkTick_Std_Parallel(b *testing.B) {
	t := tick.NewStd(long)
	defer t.Stop()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if t.Tick() {
				b.Error("an hour has passed")
			}
		}
	})
}

func BenchmarkTick_Atomic_Parallel(b *testing.B) {
	t := tick.NewMono(long)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if t.Tick() {
				b.Error("an hour has passed")
			}
		}
	})
}
