package fathom_test

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"fathom.dev/go/cancel"
	"fathom.dev/go/queue"
	"fathom.dev/go/tick"
)

// A hot loop that uses all three packages: it polls, because it always has work to do, and checks
// in each iteration whether it is canceled, whether the period has ended, and whether there is an
// item.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	items := queue.NewSPSC[int](1024)
	go func() {
		defer items.Close()
		for i := range 10_000 {
			if items.Push(ctx, i) != nil {
				return
			}
		}
	}()

	var canceled cancel.Flag
	defer canceled.CancelWith(ctx)()
	report := tick.NewBatch(100*time.Millisecond, 0.01)
	sum, reports := 0, 0
	for !canceled.Canceled() {
		if report.Tick() {
			reports++
		}
		item, ok := items.TryPop()
		if !ok {
			if items.Drained() {
				break
			}
			runtime.Gosched()
			continue
		}
		sum += item
	}
	fmt.Println(sum)
	// Output: 49995000
}
