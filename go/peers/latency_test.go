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

// try pushes into a queue that has room.
func try(push func(int) bool) func(int) {
	return func(i int) { push(i) }
}

func waitingFor(b *testing.B, pop func(context.Context) (int, error)) func() int {
	ctx := context.Background()
	return func() int {
		item, err := pop(ctx)
		if err != nil {
			b.Error(err)
		}
		return item
	}
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

func BenchmarkLatency(b *testing.B) {
	b.Run("Channel", func(b *testing.B) {
		there, here := make(chan int, 1), make(chan int, 1)
		pingPong(b, func(i int) { there <- i }, func() int { return <-there }, func(i int) { here <- i }, func() int { return <-here })
	})
	b.Run("SPSC", func(b *testing.B) {
		there, here := queue.NewSPSC[int](1), queue.NewSPSC[int](1)
		pingPong(b, try(there.TryPush), waitingFor(b, there.Pop), try(here.TryPush), waitingFor(b, here.Pop))
	})
	b.Run("SPSCPolling", func(b *testing.B) {
		there, here := queue.NewSPSC[int](1), queue.NewSPSC[int](1)
		pingPong(b, try(there.TryPush), polling(there.TryPop), try(here.TryPush), polling(here.TryPop))
	})
	b.Run("MPMC", func(b *testing.B) {
		there, here := queue.NewMPMC[int](1), queue.NewMPMC[int](1)
		pingPong(b, try(there.TryPush), waitingFor(b, there.Pop), try(here.TryPush), waitingFor(b, here.Pop))
	})
	b.Run("LockFreeRingPolling", func(b *testing.B) {
		there, here := newRing(b, 2, 1), newRing(b, 2, 1)
		push := func(r *ring.ShardedRing) func(int) {
			return func(i int) { r.Write(0, i) }
		}
		pingPong(b, push(there), polling(popRing(there)), push(here), polling(popRing(here)))
	})
}
