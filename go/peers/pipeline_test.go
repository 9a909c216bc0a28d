package peers_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"fathom.dev/go/internal/baseline"
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

// one adapts a function that does not depend on the producer.
func one(f func(from, to int)) func(int, int, int) {
	return func(_, from, to int) { f(from, to) }
}

// all gives every producer the same push function.
func all(push func(int) bool) func(int, int, int) { return one(pushEach(push)) }

// sendEach and receiveEach are the usual forms of a pipeline.
func sendEach(c chan<- int) func(from, to int) {
	return func(from, to int) {
		for item := from; item < to; item++ {
			c <- item
		}
	}
}

func receiveEach(c <-chan int) func(items int) int {
	return func(items int) (sum int) {
		for range items {
			sum += <-c
		}
		return sum
	}
}

// pushEachWaiting and popEachWaiting are the same for the waiting methods of a queue.
func pushEachWaiting(b *testing.B, push func(context.Context, int) error) func(from, to int) {
	return func(from, to int) {
		ctx := context.Background()
		for item := from; item < to; item++ {
			if err := push(ctx, item); err != nil {
				b.Error(err)
			}
		}
	}
}

func popEachWaiting(b *testing.B, pop func(context.Context) (int, error)) func(items int) int {
	return func(items int) (sum int) {
		ctx := context.Background()
		for range items {
			item, err := pop(ctx)
			if err != nil {
				b.Error(err)
			}
			sum += item
		}
		return sum
	}
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

func BenchmarkOneToOne(b *testing.B) {
	b.Run("Channel", func(b *testing.B) {
		c := make(chan int, pipelineSize)
		pipe(b, 1, one(sendEach(c)), receiveEach(c))
	})
	b.Run("ChannelPolling", func(b *testing.B) {
		c := make(baseline.Channel[int], pipelineSize)
		pipe(b, 1, all(c.TryPush), popEach(c.TryPop))
	})
	// Sixteen items are one item of the channel.
	b.Run("ChannelBatch16", func(b *testing.B) {
		type items struct {
			n  int
			of [batch]int
		}
		c := make(chan items, pipelineSize/batch)
		pipe(b, 1, one(func(from, to int) {
			for from < to {
				next := items{n: min(batch, to-from)}
				for i := range next.n {
					next.of[i] = from + i
				}
				c <- next
				from += next.n
			}
			close(c)
		}), func(int) (sum int) {
			for next := range c {
				for _, item := range next.of[:next.n] {
					sum += item
				}
			}
			return sum
		})
	})
	// Calls the methods directly, as a program does: a call through a function value adds a quarter.
	b.Run("SPSC", func(b *testing.B) {
		q := queue.NewSPSC[int](pipelineSize)
		ctx := context.Background()
		pipe(b, 1, one(func(from, to int) {
			for item := from; item < to; item++ {
				if err := q.Push(ctx, item); err != nil {
					b.Error(err)
				}
			}
		}), func(items int) (sum int) {
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
	b.Run("SPSCPolling", func(b *testing.B) {
		q := queue.NewSPSC[int](pipelineSize)
		pipe(b, 1, all(q.TryPush), popEach(q.TryPop))
	})
	b.Run("SPSCFloorPolling", func(b *testing.B) {
		q := baseline.NewSPSCFloor[int](pipelineSize)
		pipe(b, 1, all(q.TryPush), popEach(q.TryPop))
	})
	b.Run("SPSCBatch16", func(b *testing.B) {
		q := queue.NewSPSC[int](pipelineSize)
		pipe(b, 1, one(pushWaiting(b, q.PushBatch)), popWaiting(b, q.PopBatch))
	})
	b.Run("SPSCBatch16Polling", func(b *testing.B) {
		q := queue.NewSPSC[int](pipelineSize)
		pipe(b, 1, one(pushBatches(q.TryPushBatch)), consumeBatches(q.TryPopBatch))
	})
	b.Run("SPSCStaged16Polling", func(b *testing.B) {
		q := queue.NewSPSC[int](pipelineSize)
		pipe(b, 1, one(func(from, to int) {
			for item := from; item < to; item++ {
				for !q.Stage(item) {
					runtime.Gosched()
				}
				if item%batch == 0 {
					q.Flush()
				}
			}
			q.Flush()
		}), popEach(q.TryPop))
	})
	b.Run("MPSC", func(b *testing.B) {
		q := queue.NewMPSC[int](pipelineSize)
		pipe(b, 1, one(pushEachWaiting(b, q.Push)), popEachWaiting(b, q.Pop))
	})
	b.Run("MPSCPolling", func(b *testing.B) {
		q := queue.NewMPSC[int](pipelineSize)
		pipe(b, 1, all(q.TryPush), popEach(q.TryPop))
	})
	b.Run("MPMC", func(b *testing.B) {
		q := queue.NewMPMC[int](pipelineSize)
		pipe(b, 1, one(pushEachWaiting(b, q.Push)), popEachWaiting(b, q.Pop))
	})
	b.Run("MPMCPolling", func(b *testing.B) {
		q := queue.NewMPMC[int](pipelineSize)
		pipe(b, 1, all(q.TryPush), popEach(q.TryPop))
	})
	b.Run("LockFreeRingPolling", func(b *testing.B) {
		r := newRing(b, pipelineSize, 1)
		pipe(b, 1, all(func(item int) bool { return r.Write(0, item) }), popEach(popRing(r)))
	})
}

// newLanes returns a Sharded with a lane for each producer.
func newLanes(producers int) (*queue.Sharded[int], []*queue.Producer[int]) {
	q := queue.NewSharded[int](pipelineSize / producers)
	lanes := make([]*queue.Producer[int], producers)
	for p := range lanes {
		lanes[p] = q.NewProducer()
	}
	return q, lanes
}

func BenchmarkManyToOne(b *testing.B) {
	for _, producers := range []int{2, 4, 8} {
		b.Run(fmt.Sprintf("producers=%d", producers), func(b *testing.B) { manyToOne(b, producers) })
	}
}

func manyToOne(b *testing.B, producers int) {
	b.Run("Channel", func(b *testing.B) {
		c := make(chan int, pipelineSize)
		pipe(b, producers, one(sendEach(c)), receiveEach(c))
	})
	b.Run("ChannelPolling", func(b *testing.B) {
		c := make(baseline.Channel[int], pipelineSize)
		pipe(b, producers, all(c.TryPush), popEach(c.TryPop))
	})
	b.Run("Sharded", func(b *testing.B) {
		q, lanes := newLanes(producers)
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
	b.Run("ShardedPolling", func(b *testing.B) {
		q, lanes := newLanes(producers)
		pipe(b, producers, func(p, from, to int) { pushEach(lanes[p].TryPush)(from, to) }, popEach(q.TryPop))
	})
	// A ring for each producer, which the consumer empties in turn.
	b.Run("ShardedFloorPolling", func(b *testing.B) {
		lanes := make([]*baseline.SPSCFloor[int], producers)
		for p := range lanes {
			lanes[p] = baseline.NewSPSCFloor[int](pipelineSize / producers)
		}
		current := 0
		pipe(b, producers, func(p, from, to int) { pushEach(lanes[p].TryPush)(from, to) }, popEach(func() (int, bool) {
			for range lanes {
				if item, ok := lanes[current].TryPop(); ok {
					return item, true
				}
				current = (current + 1) % len(lanes)
			}
			return 0, false
		}))
	})
	b.Run("ShardedBatch16", func(b *testing.B) {
		q, lanes := newLanes(producers)
		pipe(b, producers, func(p, from, to int) { pushWaiting(b, lanes[p].PushBatch)(from, to) }, popWaiting(b, q.PopBatch))
	})
	b.Run("ShardedBatch16Polling", func(b *testing.B) {
		q, lanes := newLanes(producers)
		pipe(b, producers, func(p, from, to int) { pushBatches(lanes[p].TryPushBatch)(from, to) }, consumeBatches(q.TryPopBatch))
	})
	b.Run("MPSCPolling", func(b *testing.B) {
		q := queue.NewMPSC[int](pipelineSize)
		pipe(b, producers, all(q.TryPush), popEach(q.TryPop))
	})
	b.Run("MPSCFloorPolling", func(b *testing.B) {
		q := baseline.NewMPSCFloor[int](pipelineSize)
		pipe(b, producers, all(q.TryPush), popEach(q.TryPop))
	})
	b.Run("MPMCPolling", func(b *testing.B) {
		q := queue.NewMPMC[int](pipelineSize)
		pipe(b, producers, all(q.TryPush), popEach(q.TryPop))
	})
	// With a shard for each producer.
	b.Run("LockFreeRingPolling", func(b *testing.B) {
		r := newRing(b, pipelineSize, producers)
		pipe(b, producers, func(p, from, to int) {
			pushEach(func(item int) bool { return r.Write(uint64(p), item) })(from, to)
		}, popEach(popRing(r)))
	})
	// The same without boxing: each producer reuses one box, and the consumer derives the items by
	// counting.
	b.Run("LockFreeRingUnboxedPolling", func(b *testing.B) {
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
