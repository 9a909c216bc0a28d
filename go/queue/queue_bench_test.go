package queue_test

import (
	"context"
	"sync/atomic"
	"testing"

	"fathom.dev/go/internal/baseline"
	"fathom.dev/go/queue"
)

// One goroutine pushes and pops, so that these benchmarks measure the calls alone.

// pushPop is the interface that the loops use.
type pushPop interface {
	TryPush(int) bool
	TryPop() (int, bool)
}

// checkAll fails the benchmark unless the sum of the popped items is right.
func checkAll(b *testing.B, sum int) {
	b.Helper()
	if want := b.N * (b.N - 1) / 2; sum != want {
		b.Fatalf("the sum of the items is %d, not %d", sum, want)
	}
}

func pushPopInterface(b *testing.B, q pushPop) {
	b.ReportAllocs()
	sum := 0
	for i := range b.N {
		q.TryPush(i)
		item, _ := q.TryPop()
		sum += item
	}
	checkAll(b, sum)
}

// The loops are repeated because a call through an interface costs as much as a third of some
// pushes.
func BenchmarkPushPop(b *testing.B) {
	b.Run("Channel", func(b *testing.B) {
		q := make(baseline.Channel[int], 1024)
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			q.TryPush(i)
			item, _ := q.TryPop()
			sum += item
		}
		checkAll(b, sum)
	})
	b.Run("SPSC", func(b *testing.B) {
		q := queue.NewSPSC[int](1024)
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			q.TryPush(i)
			item, _ := q.TryPop()
			sum += item
		}
		checkAll(b, sum)
	})
	b.Run("SPSCFloor", func(b *testing.B) {
		q := baseline.NewSPSCFloor[int](1024)
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			q.TryPush(i)
			item, _ := q.TryPop()
			sum += item
		}
		checkAll(b, sum)
	})
	b.Run("SPSCWaiting", func(b *testing.B) {
		q := queue.NewSPSC[int](1024)
		ctx := context.Background()
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			q.Push(ctx, i)
			item, _ := q.Pop(ctx)
			sum += item
		}
		checkAll(b, sum)
	})
	b.Run("SPSCBatch16", func(b *testing.B) {
		q := queue.NewSPSC[int](1024)
		var in, out [16]int
		b.ReportAllocs()
		sum := 0
		for done := 0; done < b.N; {
			n := min(len(in), b.N-done)
			for i := range n {
				in[i] = done + i
			}
			q.TryPushBatch(in[:n])
			q.TryPopBatch(out[:n])
			for _, item := range out[:n] {
				sum += item
			}
			done += n
		}
		checkAll(b, sum)
	})
	b.Run("MPSC", func(b *testing.B) {
		q := queue.NewMPSC[int](1024)
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			q.TryPush(i)
			item, _ := q.TryPop()
			sum += item
		}
		checkAll(b, sum)
	})
	b.Run("MPSCFloor", func(b *testing.B) {
		q := baseline.NewMPSCFloor[int](1024)
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			q.TryPush(i)
			item, _ := q.TryPop()
			sum += item
		}
		checkAll(b, sum)
	})
	b.Run("Sharded", func(b *testing.B) {
		q := queue.NewSharded[int](1024)
		p := q.NewProducer()
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			p.TryPush(i)
			item, _ := q.TryPop()
			sum += item
		}
		checkAll(b, sum)
	})
	b.Run("MPMC", func(b *testing.B) {
		q := queue.NewMPMC[int](1024)
		b.ReportAllocs()
		sum := 0
		for i := range b.N {
			q.TryPush(i)
			item, _ := q.TryPop()
			sum += item
		}
		checkAll(b, sum)
	})
	// The least that makes a push visible immediately: in Go, the cheapest way to publish a store is
	// one locked instruction.
	b.Run("CompareAndSwap", func(b *testing.B) {
		var word atomic.Uint64
		for i := range uint64(b.N) {
			if !word.CompareAndSwap(i, i+1) {
				b.Fatal("the compare-and-swap failed without contention")
			}
		}
	})
}

func BenchmarkPushPopInterface(b *testing.B) {
	b.Run("Channel", func(b *testing.B) { pushPopInterface(b, make(baseline.Channel[int], 1024)) })
	b.Run("SPSC", func(b *testing.B) { pushPopInterface(b, queue.NewSPSC[int](1024)) })
}

func BenchmarkPushPopSize64(b *testing.B) {
	b.Run("Channel", func(b *testing.B) { pushPopInterface(b, make(baseline.Channel[int], 64)) })
	b.Run("SPSC", func(b *testing.B) { pushPopInterface(b, queue.NewSPSC[int](64)) })
}

// BenchmarkPush measures pushes alone. When the queue is full, it is emptied outside the
// measurement.
func BenchmarkPush(b *testing.B) {
	run := func(b *testing.B, q pushPop) {
		b.ReportAllocs()
		popped := 0
		empty := func() {
			for _, ok := q.TryPop(); ok; _, ok = q.TryPop() {
				popped++
			}
		}
		for i := range b.N {
			if !q.TryPush(i) {
				b.StopTimer()
				empty()
				if !q.TryPush(i) {
					b.Fatal("no room")
				}
				b.StartTimer()
			}
		}
		b.StopTimer()
		if empty(); popped != b.N {
			b.Fatalf("%d of %d came out", popped, b.N)
		}
	}
	b.Run("Channel", func(b *testing.B) { run(b, make(baseline.Channel[int], 1<<15)) })
	b.Run("SPSC", func(b *testing.B) { run(b, queue.NewSPSC[int](1<<15)) })
}
