// Command context-ticker runs a hot loop that checks three things in each iteration: whether it is
// canceled, whether a period has ended, and whether there is an item. Another goroutine sends the
// items.
//
//	go run fathom.dev/go/cmd/context-ticker -n 10000000 -size 1024
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"fathom.dev/go/cancel"
	"fathom.dev/go/internal/example"
	"fathom.dev/go/queue"
	"fathom.dev/go/tick"
)

var command = example.Command{
	Name: "context-ticker", About: "runs a hot loop with cancellation, a ticker and a queue", Queue: true,
	Experiment: "go-loop", Run: run,
}

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr))
}

// run makes N iterations, then cancels the context as a signal or a deadline would. The producer
// sends until the context is canceled.
func run(o example.Options) (int, string, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	items := queue.NewSPSC[int](o.Size)
	go func() {
		for i := 0; items.Push(ctx, i) == nil; i++ {
		}
	}()

	var canceled cancel.Flag
	defer canceled.CancelWith(ctx)()
	due := tick.NewBatch(time.Millisecond, 0.01)
	turns, ticks, taken := 0, 0, 0
	for !canceled.Canceled() {
		if turns++; turns == o.N {
			stop()
		}
		if due.Tick() {
			ticks++
		}
		item, ok := items.TryPop()
		if !ok {
			runtime.Gosched() // the producer may need this processor
			continue
		}
		if item != taken {
			return turns, "", fmt.Errorf("got item %d, want %d", item, taken)
		}
		taken++
	}
	return turns, fmt.Sprintf("%d items in order, %d ticks of a millisecond, ended by %v", taken, ticks, canceled.Cause()), nil
}
