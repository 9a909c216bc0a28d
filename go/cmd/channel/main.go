// Command channel measures what it costs to hand items from one goroutine to one other: a channel, and
// the rings of package queue, waiting when there is no room or nothing to take.
//
//	go run fathom.dev/go/cmd/channel -n 10000000 -size 1024
package main

import (
	"context"
	"os"

	"fathom.dev/go/internal/measure"
	"fathom.dev/go/queue"
)

func main() {
	os.Exit(measure.Main("channel", "an item between two goroutines", true, os.Args[1:], os.Stdout, os.Stderr, groups))
}

const batch = 16

// waiting is a queue as two goroutines use it.
type waiting interface {
	Push(context.Context, int) error
	Pop(context.Context) (int, error)
	PushBatch(context.Context, []int) (int, error)
	PopBatch(context.Context, []int) (int, error)
	Close()
}

// Each sums the items, 0 to n - 1, that come out.
func groups(o measure.Options) [][]measure.Contender {
	return [][]measure.Contender{{
		{Name: "standard: channel", Run: func(n int) int {
			items := make(chan int, o.Size)
			go func() {
				defer close(items)
				for i := range n {
					items <- i
				}
			}()
			sum := 0
			for item := range items {
				sum += item
			}
			return sum
		}},
		{Name: "optimized: queue.SPSC", Run: func(n int) int {
			q := queue.NewSPSC[int](o.Size)
			ctx := context.Background()
			go func() {
				defer q.Close()
				for i := range n {
					if q.Push(ctx, i) != nil {
						return
					}
				}
			}()
			sum := 0
			for {
				item, err := q.Pop(ctx)
				if err != nil {
					return sum
				}
				sum += item
			}
		}},
		{Name: "optimized: queue.SPSC, batches of 16", Run: batches(func() waiting { return queue.NewSPSC[int](o.Size) })},
		{Name: "optimized: queue.MPSC", Run: single(func() waiting { return queue.NewMPSC[int](o.Size) })},
		{Name: "optimized: queue.MPMC", Run: single(func() waiting { return queue.NewMPMC[int](o.Size) })},
	}}
}

func single(make func() waiting) func(n int) int {
	return func(n int) int {
		q, ctx := make(), context.Background()
		go func() {
			defer q.Close()
			for i := range n {
				if q.Push(ctx, i) != nil {
					return
				}
			}
		}()
		sum := 0
		for {
			item, err := q.Pop(ctx)
			if err != nil {
				return sum
			}
			sum += item
		}
	}
}

func batches(make func() waiting) func(n int) int {
	return func(n int) int {
		q, ctx := make(), context.Background()
		go func() {
			defer q.Close()
			var items [batch]int
			for next := 0; next < n; {
				size := min(batch, n-next)
				for i := range size {
					items[i] = next + i
				}
				if _, err := q.PushBatch(ctx, items[:size]); err != nil {
					return
				}
				next += size
			}
		}()
		sum := 0
		var items [batch]int
		for {
			size, err := q.PopBatch(ctx, items[:])
			if err != nil {
				return sum
			}
			for _, item := range items[:size] {
				sum += item
			}
		}
	}
}
