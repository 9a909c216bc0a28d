package peers_test

import (
	"context"
	"testing"
	"time"

	"fathom.dev/go/cancel"
	"fathom.dev/go/queue"
	"fathom.dev/go/tick"
)

// The names and shapes of these benchmarks are those of the ones that the module grew from. Each
// checks its result, so that a contender that does less work cannot win.

// long is a period that no benchmark sees the end of.
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

// The full loop asks, takes an item and puts it back. After n turns over items 0 to 1023 the sum of
// what was taken is known.
func checkSum(b *testing.B, sum int) {
	b.Helper()
	rounds, rest := b.N/loopSize, b.N%loopSize
	if want := rounds*(loopSize*(loopSize-1)/2) + rest*(rest-1)/2; sum != want {
		b.Fatalf("the sum of the items is %d, not %d: some were lost, or came twice", sum, want)
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

// Items are put back one by one, and shown sixteen at a time.
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
