// Command context-ticker measures a whole turn of a hot loop: is it canceled, is it time, and, in the
// first table, is there an item.
//
//	go run fathom.dev/go/cmd/context-ticker -n 10000000 -size 1024
package main

import (
	"context"
	"os"
	"time"

	"fathom.dev/go/cancel"
	"fathom.dev/go/internal/measure"
	"fathom.dev/go/queue"
	"fathom.dev/go/tick"
)

// period is so long that the answer is no.
const period = time.Hour

func main() {
	os.Exit(measure.Main("context-ticker", "a turn of a hot loop", true, os.Args[1:], os.Stdout, os.Stderr, groups))
}

// Each counts the turns that went as they should.
func groups(o measure.Options) [][]measure.Contender {
	return [][]measure.Contender{withQueue(o), withoutQueue()}
}

func withQueue(o measure.Options) []measure.Contender {
	return []measure.Contender{
		{Name: "standard: cancel, tick and queue", Run: func(n int) int {
			c, t, items := cancel.NewContext(context.Background()), tick.NewStd(period), make(chan int, o.Size)
			defer t.Stop()
			for range o.Size {
				items <- 1
			}
			turns := 0
			for range n {
				if c.Canceled() || t.Tick() {
					return -1
				}
				select {
				case item := <-items:
					turns += item
					select {
					case items <- item:
					default:
						return -1
					}
				default:
					return -1
				}
			}
			return turns
		}},
		{Name: "optimized: cancel, tick and queue", Run: func(n int) int {
			var c cancel.Flag
			t, items := tick.NewBatch(period, 0.01), queue.NewSPSC[int](o.Size)
			for range o.Size {
				items.TryPush(1)
			}
			turns := 0
			for range n {
				if c.Canceled() || t.Tick() {
					return -1
				}
				item, ok := items.TryPop()
				if !ok || !items.TryPush(item) {
					return -1
				}
				turns += item
			}
			return turns
		}},
		{Name: "optimized: the same, staged by 16", Run: func(n int) int {
			var c cancel.Flag
			t, items := tick.NewBatch(period, 0.01), queue.NewSPSC[int](o.Size)
			for range o.Size {
				items.TryPush(1)
			}
			turns, staged := 0, 0
			for range n {
				if c.Canceled() || t.Tick() {
					return -1
				}
				item, ok := items.TryPop()
				if !ok {
					items.Flush()
					staged = 0
					item, ok = items.TryPop()
				}
				if !ok || !items.Stage(item) {
					return -1
				}
				if staged++; staged == 16 {
					items.Flush()
					staged = 0
				}
				turns += item
			}
			return turns
		}},
	}
}

func withoutQueue() []measure.Contender {
	all := []measure.Contender{
		{Name: "standard: cancel and tick", Run: func(n int) int {
			c, t := cancel.NewContext(context.Background()), tick.NewStd(period)
			defer t.Stop()
			turns := 0
			for range n {
				if c.Canceled() || t.Tick() {
					return -1
				}
				turns++
			}
			return turns
		}},
		{Name: "optimized: cancel and tick, Batch", Run: func(n int) int {
			var c cancel.Flag
			t := tick.NewBatch(period, 0.01)
			turns := 0
			for range n {
				if c.Canceled() || t.Tick() {
					return -1
				}
				turns++
			}
			return turns
		}},
		{Name: "optimized: cancel and tick, Mono", Run: func(n int) int {
			var c cancel.Flag
			t := tick.NewMono(period)
			turns := 0
			for range n {
				if c.Canceled() || t.Tick() {
					return -1
				}
				turns++
			}
			return turns
		}},
	}
	if _, err := tick.NewTSC(period); err != nil {
		return all // this machine has no counter for it
	}
	return append(all, measure.Contender{Name: "optimized: cancel and tick, TSC", Run: func(n int) int {
		var c cancel.Flag
		t, _ := tick.NewTSC(period)
		turns := 0
		for range n {
			if c.Canceled() || t.Tick() {
				return -1
			}
			turns++
		}
		return turns
	}})
}
