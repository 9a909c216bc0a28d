package queue_test

import (
	"context"
	"sync/atomic"
	"testing"

	"fathom.dev/go/queue"
)

// The names and shapes of these benchmarks are those of the project that this package comes from;
// there, SPSC was called RingBuffer. One goroutine pushes and pops, so that they measure the calls
// alone.

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

func BenchmarkQueue_Channel_PushPop_Direct(b *testing.B) {
	q := queue.NewChannel[int](1024)
	b.ReportAllocs()
	sum := 0
	for i := range b.N {
		q.TryPush(i)
		item, _ := q.TryPop()
		sum += item
	}
	checkAll(b, sum)
}

// A channel without the wrapper.
func BenchmarkQueue_BareChannel_PushPop_Direct(b *testing.B) {
	c := make(chan int, 1024)
	b.ReportAllocs()
	sum := 0
	for i := range b.N {
		select {
		case c <- i:
		default:
		}
		select {
		case item := <-c:
			sum += item
		default:
		}
	}
	checkAll(b, sum)
}

func BenchmarkQueue_RingBuffer_PushPop_Direct(b *testing.B) {
	q := queue.NewSPSC[int](1024)
	b.ReportAllocs()
	sum := 0
	for i := range b.N {
		q.TryPush(i)
		item, _ := q.TryPop()
		sum += item
	}
	checkAll(b, sum)
}

func BenchmarkQueue_RingBuffer_PushPop_Waiting(b *testing.B) {
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
}

func BenchmarkQueue_RingBuffer_PushPop_Batch16(b *testing.B) {
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
}

func BenchmarkQueue_MPSC_PushPop_Direct(b *testing.B) {
	q := queue.NewMPSC[int](1024)
	b.ReportAllocs()
	sum := 0
	for i := range b.N {
		q.TryPush(i)
		item, _ := q.TryPop()
		sum += item
	}
	checkAll(b, sum)
}

func BenchmarkQueue_Sharded_PushPop_Direct(b *testing.B) {
	q := queue.NewSharded[int](1024)
	p := q.Producer()
	b.ReportAllocs()
	sum := 0
	for i := range b.N {
		p.TryPush(i)
		item, _ := q.TryPop()
		sum += item
	}
	checkAll(b, sum)
}

func BenchmarkQueue_MPMC_PushPop_Direct(b *testing.B) {
	q := queue.NewMPMC[int](1024)
	b.ReportAllocs()
	sum := 0
	for i := range b.N {
		q.TryPush(i)
		item, _ := q.TryPop()
		sum += item
	}
	checkAll(b, sum)
}

// The floor of every push that is visible immediately: in Go, the cheapest way to publish a store
// is one locked instruction.
func BenchmarkQueue_Floor_CompareAndSwap(b *testing.B) {
	var word atomic.Uint64
	for i := range uint64(b.N) {
		if !word.CompareAndSwap(i, i+1) {
			b.Fatal("the compare-and-swap failed without contention")
		}
	}
}

func BenchmarkQueue_Channel_PushPop_Interface(b *testing.B) {
	pushPopInterface(b, queue.NewChannel[int](1024))
}

func BenchmarkQueue_RingBuffer_PushPop_Interface(b *testing.B) {
	pushPopInterface(b, queue.NewSPSC[int](1024))
}

func BenchmarkQueue_Channel_PushPop_Size64(b *testing.B) {
	pushPopInterface(b, queue.NewChannel[int](64))
}

func BenchmarkQueue_RingBuffer_PushPop_Size64(b *testing.B) {
	pushPopInterface(b, queue.NewSPSC[int](64))
}

// Measures pushes alone. When the queue is full, it is emptied outside the measurement.
func benchmarkPush(b *testing.B, q interface {
	pushPop
	TryPopBatch([]int) int
}) {
	room := make([]int, 1<<16)
	b.ReportAllocs()
	popped := 0
	for i := range b.N {
		if !q.TryPush(i) {
			b.StopTimer()
			popped += q.TryPopBatch(room)
			if !q.TryPush(i) {
				b.Fatal("no room")
			}
			b.StartTimer()
		}
	}
	b.StopTimer()
	for n := q.TryPopBatch(room); n > 0; n = q.TryPopBatch(room) {
		popped += n
	}
	if popped != b.N {
		b.Fatalf("%d of %d came out", popped, b.N)
	}
}

func BenchmarkQueue_Channel_Push(b *testing.B) { benchmarkPush(b, queue.NewChannel[int](1<<15)) }

func BenchmarkQueue_RingBuffer_Push(b *testing.B) { benchmarkPush(b, queue.NewSPSC[int](1<<15)) }
