package peers_test

import (
	"context"
	"testing"
	"time"

	"fathom.dev/go/cancel"
	"fathom.dev/go/queue"
	"fathom.dev/go/tick"
)

// The names and shapes of these benchmarks are those of the project that this module comes from.
// Each benchmark checks its result, so that a contender cannot win by doing less work.

// long is a period that does not end during any benchmark.
const long = time.Hour

func BenchmarkCombined_CancelTick_Standard(b *testing.B) {
	canceled, ticker := cancel.NewContext(context.Background()), tick.NewStd(long)
	defer ticker.Stop()
	b.ReportAllocs()
	for range b.N {
		if canceled.Canceled() || ticker.Tick() {
			b.Fatal("canceled, or an hour has passed")
		}
	}
}

func BenchmarkCombined_CancelTick_Optimized(b *testing.B) {
	var canceled cancel.Flag
	ticker := tick.NewBatch(long, 0.01)
	b.ReportAllocs()
	for range b.N {
		if canceled.Canceled() || ticker.Tick() {
			b.Fatal("canceled, or an hour has passed")
		}
	}
}

func BenchmarkCombined_CancelTick_Mono(b *testing.B) {
	var canceled cancel.Flag
	ticker := tick.NewMono(long)
	b.ReportAllocs()
	for range b.N {
		if canceled.Canceled() || ticker.Tick() {
			b.Fatal("canceled, or an hour has passed")
		}
	}
}

func BenchmarkCombined_CancelTick_TSC(b *testing.B) {
	var canceled cancel.Flag
	ticker, err := tick.NewTSC(long)
	if err != nil {
		b.Skip(err)
	}
	b.ReportAllocs()
	for range b.N {
		if canceled.Canceled() || ticker.Tick() {
			b.Fatal("canceled, or an hour has passed")
		}
	}
}

const loopSize = 1024

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

func BenchmarkCombined_FullLoop_Standard(b *testing.B) {
	canceled, ticker := cancel.NewContext(context.Background()), tick.NewStd(long)
	defer ticker.Stop()
	items := make(chan int, loopSize)
	for i := range loopSize {
		items <- i
	}
	b.ReportAllocs()
	sum := 0
	for range b.N {
		if canceled.Canceled() || ticker.Tick() {
			b.Fatal("canceled, or an hour has passed")
		}
		select {
		case item := <-items:
			sum += item
			select {
			case items <- item:
			default:
			}
		default:
		}
	}
	checkSum(b, sum)
}

func BenchmarkCombined_FullLoop_Optimized(b *testing.B) {
	var canceled cancel.Flag
	ticker := tick.NewBatch(long, 0.01)
	items := queue.NewSPSC[int](loopSize)
	for i := range loopSize {
		items.TryPush(i)
	}
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
}

// Pushes back one item at a time, and publishes sixteen at a time.
func BenchmarkCombined_FullLoop_Staged16(b *testing.B) {
	var canceled cancel.Flag
	ticker := tick.NewBatch(long, 0.01)
	items := queue.NewSPSC[int](loopSize)
	for i := range loopSize {
		items.TryPush(i)
	}
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
}

func BenchmarkCombined_FullLoop_MPMC(b *testing.B) {
	var canceled cancel.Flag
	ticker := tick.NewBatch(long, 0.01)
	items := queue.NewMPMC[int](loopSize)
	for i := range loopSize {
		items.TryPush(i)
	}
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
}
