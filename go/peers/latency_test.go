package peers_test

import (
	"context"
	"runtime"
	"testing"

	"fathom.dev/go/queue"
	ring "github.com/randomizedcoder/go-lock-free-ring"
)

// Latency is measured as a round trip: an item goes to another goroutine and its successor comes
// back before the next item leaves. ns/op is the time of the round trip.

func pingPong(b *testing.B, toThere func(int), there func() int, toHere func(int), here func() int) {
	b.ReportAllocs()
	go func() {
		for {
			item := there()
			toHere(item + 1)
			if item < 0 {
				return
			}
		}
	}()
	for i := range b.N {
		toThere(i)
		if got := here(); got != i+1 {
			b.Fatalf("%d came back as %d", i, got)
		}
	}
	b.StopTimer()
	toThere(-1)
	here()
}

func polling(pop func() (int, bool)) func() int {
	return func() int {
		for {
			if item, ok := pop(); ok {
				return item
			}
			runtime.Gosched()
		}
	}
}

func BenchmarkLatency_Channel(b *testing.B) {
	there, here := make(chan int, 1), make(chan int, 1)
	pingPong(b, func(i int) { there <- i }, func() int { return <-there }, func(i int) { here <- i }, func() int { return <-here })
}

func BenchmarkLatency_SPSC_Polling(b *testing.B) {
	there, here := queue.NewSPSC[int](1), queue.NewSPSC[int](1)
	pingPong(b, func(i int) { there.TryPush(i) }, polling(there.TryPop), func(i int) { here.TryPush(i) }, polling(here.TryPop))
}

func BenchmarkLatency_SPSC_Blocking(b *testing.B) {
	there, here := queue.NewSPSC[int](1), queue.NewSPSC[int](1)
	ctx := context.Background()
	pop := func(q *queue.SPSC[int]) func() int {
		return func() int {
			item, err := q.Pop(ctx)
			if err != nil {
				b.Error(err)
			}
			return item
		}
	}
	pingPong(b, func(i int) { there.TryPush(i) }, pop(there), func(i int) { here.TryPush(i) }, pop(here))
}

func BenchmarkLatency_MPMC_Blocking(b *testing.B) {
	there, here := queue.NewMPMC[int](1), queue.NewMPMC[int](1)
	ctx := context.Background()
	pop := func(q *queue.MPMC[int]) func() int {
		return func() int {
			item, err := q.Pop(ctx)
			if err != nil {
				b.Error(err)
			}
			return item
		}
	}
	pingPong(b, func(i int) { there.TryPush(i) }, pop(there), func(i int) { here.TryPush(i) }, pop(here))
}

func BenchmarkLatency_LFR_Polling(b *testing.B) {
	there, here := newRing(b, 2, 1), newRing(b, 2, 1)
	push := func(r *ring.ShardedRing) func(int) {
		return func(i int) { r.Write(0, i) }
	}
	pingPong(b, push(there), polling(popRing(there)), push(here), polling(popRing(here)))
}
