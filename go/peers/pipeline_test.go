package peers_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"fathom.dev/go/queue"
	ring "github.com/randomizedcoder/go-lock-free-ring"
)

// Throughput between goroutines: the time until all items have arrived, divided by their number. In
// all contenders alike, a goroutine that finds the queue full or empty yields its processor and
// tries again, because there may be fewer processors than goroutines. The peer boxes each item, as
// its interface requires.

const (
	pipelineSize = 1024
	batch        = 16
)

// pipe starts the producers, each with its share of 1 to b.N, and the consumer in this goroutine.
func pipe(b *testing.B, producers int, produce func(producer, from, to int), consume func(items int) (sum int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	var producing sync.WaitGroup
	for p := range producers {
		from, to := b.N*p/producers, b.N*(p+1)/producers
		producing.Go(func() { produce(p, from+1, to+1) })
	}
	sum := consume(b.N)
	b.StopTimer()
	producing.Wait()
	if want := b.N * (b.N + 1) / 2; sum != want {
		b.Fatalf("the sum of the items is %d, not %d: items were lost or duplicated", sum, want)
	}
}

// pushEach and popEach pass items one by one.
func pushEach(push func(int) bool) func(from, to int) {
	return func(from, to int) {
		for item := from; item < to; item++ {
			for !push(item) {
				runtime.Gosched()
			}
		}
	}
}

func popEach(pop func() (int, bool)) func(items int) int {
	return func(items int) (sum int) {
		for items > 0 {
			if item, ok := pop(); ok {
				sum += item
				items--
			} else {
				runtime.Gosched()
			}
		}
		return sum
	}
}

// tryChannel is a bare channel with non-blocking methods.
type tryChannel chan int

func (c tryChannel) push(item int) bool {
	select {
	case c <- item:
		return true
	default:
		return false
	}
}

func (c tryChannel) pop() (int, bool) {
	select {
	case item := <-c:
		return item, true
	default:
		return 0, false
	}
}

func popRing(r *ring.ShardedRing) func() (int, bool) {
	return func() (int, bool) {
		item, ok := r.TryRead()
		if !ok {
			return 0, false
		}
		return item.(int), true
	}
}

func newRing(b *testing.B, capacity, shards int) *ring.ShardedRing {
	r, err := ring.NewShardedRing(uint64(capacity), uint64(shards))
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// ---- One producer, one consumer.

// one adapts a function that does not depend on the producer.
func one(f func(from, to int)) func(int, int, int) {
	return func(_, from, to int) { f(from, to) }
}

func BenchmarkPipeline_Channel(b *testing.B) {
	c := make(tryChannel, pipelineSize)
	pipe(b, 1, one(pushEach(c.push)), popEach(c.pop))
}

// The usual form of a pipeline.
func BenchmarkPipeline_Channel_Blocking(b *testing.B) {
	c := make(chan int, pipelineSize)
	pipe(b, 1, func(_, from, to int) {
		for item := from; item < to; item++ {
			c <- item
		}
		close(c)
	}, func(int) (sum int) {
		for item := range c {
			sum += item
		}
		return sum
	})
}

func BenchmarkPipeline_RingBuffer(b *testing.B) {
	q := queue.NewSPSC[int](pipelineSize)
	pipe(b, 1, one(pushEach(q.TryPush)), popEach(q.TryPop))
}

func BenchmarkPipeline_RingBuffer_Blocking(b *testing.B) {
	q := queue.NewSPSC[int](pipelineSize)
	ctx := context.Background()
	pipe(b, 1, func(_, from, to int) {
		for item := from; item < to; item++ {
			if err := q.Push(ctx, item); err != nil {
				b.Error(err)
			}
		}
		q.Close()
	}, func(int) (sum int) {
		for {
			item, err := q.Pop(ctx)
			if err != nil {
				return sum
			}
			sum += item
		}
	})
}

// waiting is a queue with blocking methods.
type waiting interface {
	Push(context.Context, int) error
	Pop(context.Context) (int, error)
	Close()
}

// pipeWaiting calls the queue through an interface, which adds some nanoseconds.
func pipeWaiting(b *testing.B, q waiting) {
	ctx := context.Background()
	pipe(b, 1, func(_, from, to int) {
		for item := from; item < to; item++ {
			if err := q.Push(ctx, item); err != nil {
				b.Error(err)
			}
		}
		q.Close()
	}, func(int) (sum int) {
		for {
			item, err := q.Pop(ctx)
			if err != nil {
				return sum
			}
			sum += item
		}
	})
}

func BenchmarkPipeline_MPSC_Blocking(b *testing.B) {
	pipeWaiting(b, queue.NewMPSC[int](pipelineSize))
}

func BenchmarkPipeline_MPMC_Blocking(b *testing.B) {
	pipeWaiting(b, queue.NewMPMC[int](pipelineSize))
}

func BenchmarkPipeline_RingBuffer_Staged16(b *testing.B) {
	q := queue.NewSPSC[int](pipelineSize)
	pipe(b, 1, func(_, from, to int) {
		for item := from; item < to; item++ {
			for !q.Stage(item) {
				runtime.Gosched()
			}
			if item%batch == 0 {
				q.Flush()
			}
		}
		q.Flush()
	}, popEach(q.TryPop))
}

// consumeBatches takes up to sixteen items at a time.
func consumeBatches(pop func([]int) int) func(items int) int {
	return func(items int) (sum int) {
		var taken [batch]int
		for items > 0 {
			n := pop(taken[:])
			if n == 0 {
				runtime.Gosched()
			}
			for _, item := range taken[:n] {
				sum += item
			}
			items -= n
		}
		return sum
	}
}

// pushBatches pushes up to sixteen items at a time.
func pushBatches(push func([]int) int) func(from, to int) {
	return func(from, to int) {
		var items [batch]int
		for from < to {
			n := min(batch, to-from)
			for i := range n {
				items[i] = from + i
			}
			for done := 0; done < n; {
				pushed := push(items[done:n])
				if pushed == 0 {
					runtime.Gosched()
				}
				done += pushed
			}
			from += n
		}
	}
}

func BenchmarkPipeline_RingBuffer_Batch16(b *testing.B) {
	q := queue.NewSPSC[int](pipelineSize)
	pipe(b, 1, one(pushBatches(q.TryPushBatch)), consumeBatches(q.TryPopBatch))
}

// pushWaiting and popWaiting are the waiting forms of the same.
func pushWaiting(b *testing.B, push func(context.Context, []int) (int, error)) func(from, to int) {
	return func(from, to int) {
		ctx := context.Background()
		pushBatches(func(items []int) int {
			n, err := push(ctx, items)
			if err != nil {
				b.Error(err)
			}
			return n
		})(from, to)
	}
}

func popWaiting(b *testing.B, pop func(context.Context, []int) (int, error)) func(items int) int {
	return func(items int) int {
		ctx := context.Background()
		return consumeBatches(func(taken []int) int {
			n, err := pop(ctx, taken)
			if err != nil {
				b.Error(err)
			}
			return n
		})(items)
	}
}

func BenchmarkPipeline_RingBuffer_Batch16_Blocking(b *testing.B) {
	q := queue.NewSPSC[int](pipelineSize)
	pipe(b, 1, one(pushWaiting(b, q.PushBatch)), popWaiting(b, q.PopBatch))
}

// Sixteen items are one item of the channel.
func BenchmarkPipeline_Channel_Batch16(b *testing.B) {
	type items struct {
		n  int
		of [batch]int
	}
	c := make(chan items, pipelineSize/batch)
	pipe(b, 1, func(_, from, to int) {
		for from < to {
			var next items
			next.n = min(batch, to-from)
			for i := range next.n {
				next.of[i] = from + i
			}
			c <- next
			from += next.n
		}
		close(c)
	}, func(int) (sum int) {
		for next := range c {
			for _, item := range next.of[:next.n] {
				sum += item
			}
		}
		return sum
	})
}

func BenchmarkPipeline_MPSC(b *testing.B) {
	q := queue.NewMPSC[int](pipelineSize)
	pipe(b, 1, one(pushEach(q.TryPush)), popEach(q.TryPop))
}

func BenchmarkPipeline_MPMC(b *testing.B) {
	q := queue.NewMPMC[int](pipelineSize)
	pipe(b, 1, one(pushEach(q.TryPush)), popEach(q.TryPop))
}

func BenchmarkLFR_SPSC_ShardedRing1(b *testing.B) {
	r := newRing(b, pipelineSize, 1)
	pipe(b, 1, one(pushEach(func(item int) bool { return r.Write(0, item) })), popEach(popRing(r)))
}

// ---- Several producers.

func many(b *testing.B, run func(b *testing.B, producers int)) {
	for _, producers := range []int{2, 4, 8} {
		b.Run(map[int]string{2: "2Producers", 4: "4Producers", 8: "8Producers"}[producers], func(b *testing.B) {
			run(b, producers)
		})
	}
}

// all gives every producer the same push function.
func all(push func(int) bool) func(int, int, int) { return one(pushEach(push)) }

func BenchmarkMPSC_Channel(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		c := make(tryChannel, pipelineSize)
		pipe(b, producers, all(c.push), popEach(c.pop))
	})
}

func BenchmarkMPSC_Channel_Blocking(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		c := make(chan int, pipelineSize)
		pipe(b, producers, func(_, from, to int) {
			for item := from; item < to; item++ {
				c <- item
			}
		}, func(items int) (sum int) {
			for range items {
				sum += <-c
			}
			return sum
		})
	})
}

func BenchmarkMPSC_Sharded(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		q := queue.NewSharded[int](pipelineSize / producers)
		lanes := make([]*queue.Producer[int], producers)
		for p := range lanes {
			lanes[p] = q.Producer()
		}
		pipe(b, producers, func(p, from, to int) { pushEach(lanes[p].TryPush)(from, to) }, popEach(q.TryPop))
	})
}

func BenchmarkMPSC_Sharded_Blocking(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		q := queue.NewSharded[int](pipelineSize / producers)
		lanes := make([]*queue.Producer[int], producers)
		for p := range lanes {
			lanes[p] = q.Producer()
		}
		ctx := context.Background()
		pipe(b, producers, func(p, from, to int) {
			for item := from; item < to; item++ {
				if err := lanes[p].Push(ctx, item); err != nil {
					b.Error(err)
				}
			}
		}, func(items int) (sum int) {
			for range items {
				item, err := q.Pop(ctx)
				if err != nil {
					b.Error(err)
				}
				sum += item
			}
			return sum
		})
	})
}

func BenchmarkMPSC_Sharded_Batch16(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		q := queue.NewSharded[int](pipelineSize / producers)
		lanes := make([]*queue.Producer[int], producers)
		for p := range lanes {
			lanes[p] = q.Producer()
		}
		pipe(b, producers, func(p, from, to int) { pushBatches(lanes[p].TryPushBatch)(from, to) }, consumeBatches(q.TryPopBatch))
	})
}

func BenchmarkMPSC_Sharded_Batch16_Blocking(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		q := queue.NewSharded[int](pipelineSize / producers)
		lanes := make([]*queue.Producer[int], producers)
		for p := range lanes {
			lanes[p] = q.Producer()
		}
		pipe(b, producers, func(p, from, to int) { pushWaiting(b, lanes[p].PushBatch)(from, to) }, popWaiting(b, q.PopBatch))
	})
}

func BenchmarkMPSC_Single(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		q := queue.NewMPSC[int](pipelineSize)
		pipe(b, producers, all(q.TryPush), popEach(q.TryPop))
	})
}

func BenchmarkMPSC_MPMC(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		q := queue.NewMPMC[int](pipelineSize)
		pipe(b, producers, all(q.TryPush), popEach(q.TryPop))
	})
}

// go-lock-free-ring, with a shard for each producer.
func BenchmarkLFR_MPSC_ShardedRing(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		r := newRing(b, pipelineSize, producers)
		pipe(b, producers, func(p, from, to int) {
			pushEach(func(item int) bool { return r.Write(uint64(p), item) })(from, to)
		}, popEach(popRing(r)))
	})
}

// The same without boxing: each producer reuses one box, and the consumer derives the items by
// counting.
func BenchmarkLFR_MPSC_ShardedRing_Unboxed(b *testing.B) {
	many(b, func(b *testing.B, producers int) {
		r := newRing(b, pipelineSize, producers)
		var next [8]int
		for p := range producers {
			next[p] = b.N*p/producers + 1
		}
		pipe(b, producers, func(p, from, to int) {
			var box any = p
			pushEach(func(int) bool { return r.Write(uint64(p), box) })(from, to)
		}, popEach(func() (int, bool) {
			box, ok := r.TryRead()
			if !ok {
				return 0, false
			}
			p := box.(int)
			next[p]++
			return next[p] - 1, true
		}))
	})
}
