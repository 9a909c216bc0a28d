package peers_test

import (
	"context"
	"testing"
	"time"

	"fathom.dev/go/cancel"
	"fathom.dev/go/internal/baseline"
	"fathom.dev/go/queue"
	"fathom.dev/go/tick"
)

// Each benchmark checks its result, so that a contender cannot win by doing less work. The loops are
// repeated because the checks are inlined into them.

// long is a period that does not end during any benchmark.
const long = time.Hour

func standard(b *testing.B) (baseline.Context, baseline.Ticker) {
	ctx, stop := context.WithCancel(context.Background())
	ticker := time.NewTicker(long)
	b.Cleanup(func() { stop(); ticker.Stop() })
	return baseline.Context{Context: ctx}, baseline.Ticker{Ticker: ticker}
}

func newTSC(b *testing.B) *tick.TSC {
	ticker, err := tick.NewTSC(long)
	if err != nil {
		b.Skip(err)
	}
	return ticker
}

func BenchmarkCancelTick(b *testing.B) {
	b.Run("Standard", func(b *testing.B) {
		canceled, ticker := standard(b)
		b.ReportAllocs()
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
		}
	})
	b.Run("Optimized", func(b *testing.B) {
		var canceled cancel.Flag
		ticker := tick.NewBatch(long, 0.01)
		b.ReportAllocs()
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
		}
	})
	b.Run("Mono", func(b *testing.B) {
		var canceled cancel.Flag
		ticker := tick.NewMono(long)
		b.ReportAllocs()
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
		}
	})
	b.Run("TSC", func(b *testing.B) {
		var canceled cancel.Flag
		ticker := newTSC(b)
		b.ReportAllocs()
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
		}
	})
}

const loopSize = 1024

// fill pushes the items 0 to loopSize - 1.
func fill(push func(int) bool) {
	for i := range loopSize {
		push(i)
	}
}

// checkSum checks the result of the full loop, which in each of b.N iterations checks for
// cancellation and the period, pops an item and pushes it back. With the items 0 to 1023 the sum of
// the popped items is known.
func checkSum(b *testing.B, sum int) {
	b.Helper()
	rounds, rest := b.N/loopSize, b.N%loopSize
	if want := rounds*(loopSize*(loopSize-1)/2) + rest*(rest-1)/2; sum != want {
		b.Fatalf("the sum of the items is %d, not %d: items were lost or duplicated", sum, want)
	}
}

func BenchmarkFullLoop(b *testing.B) {
	b.Run("Standard", func(b *testing.B) {
		canceled, ticker := standard(b)
		items := make(baseline.Channel[int], loopSize)
		fill(items.TryPush)
		b.ReportAllocs()
		sum := 0
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
			if item, ok := items.TryPop(); ok {
				sum += item
				items.TryPush(item)
			}
		}
		checkSum(b, sum)
	})
	b.Run("Optimized", func(b *testing.B) {
		var canceled cancel.Flag
		ticker := tick.NewBatch(long, 0.01)
		items := queue.NewSPSC[int](loopSize)
		fill(items.TryPush)
		b.ReportAllocs()
		sum := 0
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
			if item, ok := items.TryPop(); ok {
				sum += item
				items.TryPush(item)
			}
		}
		checkSum(b, sum)
	})
	// Pushes back one item at a time, and publishes sixteen at a time.
	b.Run("Staged16", func(b *testing.B) {
		var canceled cancel.Flag
		ticker := tick.NewBatch(long, 0.01)
		items := queue.NewSPSC[int](loopSize)
		fill(items.TryPush)
		b.ReportAllocs()
		sum := 0
		for turn := range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
			if item, ok := items.TryPop(); ok {
				sum += item
				items.Stage(item)
			}
			if turn%16 == 15 {
				items.Flush()
			}
		}
		checkSum(b, sum)
	})
	b.Run("MPMC", func(b *testing.B) {
		var canceled cancel.Flag
		ticker := tick.NewBatch(long, 0.01)
		items := queue.NewMPMC[int](loopSize)
		fill(items.TryPush)
		b.ReportAllocs()
		sum := 0
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
			if item, ok := items.TryPop(); ok {
				sum += item
				items.TryPush(item)
			}
		}
		checkSum(b, sum)
	})
	// The same checks and the least that a ring must do.
	b.Run("Floor", func(b *testing.B) {
		var canceled cancel.Flag
		ticker := tick.NewBatch(long, 0.01)
		items := baseline.NewSPSCFloor[int](2 * loopSize)
		fill(items.TryPush)
		b.ReportAllocs()
		sum := 0
		for range b.N {
			if canceled.Canceled() || ticker.Tick() {
				b.Fatal("canceled, or an hour has passed")
			}
			if item, ok := items.TryPop(); ok {
				sum += item
				items.TryPush(item)
			}
		}
		checkSum(b, sum)
	})
}
