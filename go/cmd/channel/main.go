// Command channel passes items from one goroutine to another through a queue.SPSC, as a channel
// would: the producer waits while the queue is full, the consumer while it is empty.
//
//	go run fathom.dev/go/cmd/channel -n 10000000 -size 1024
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"fathom.dev/go/internal/example"
	"fathom.dev/go/queue"
)

var command = example.Command{
	Name: "channel", About: "passes items from one goroutine to another through a ring", Queue: true,
	Experiment: "go-pipeline", Run: run,
}

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr))
}

// run sends 0 to N - 1 and checks that they arrive in this order.
func run(o example.Options) (int, string, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop() // ends the producer if the consumer returns early
	items := queue.NewSPSC[int](o.Size)
	go func() {
		defer items.Close()
		for i := range o.N {
			if items.Push(ctx, i) != nil {
				return
			}
		}
	}()
	for next := 0; ; next++ {
		item, err := items.Pop(ctx)
		switch {
		case errors.Is(err, queue.ErrClosed):
			return next, "all items in order", nil
		case err != nil:
			return next, "", err
		case item != next:
			return next, "", fmt.Errorf("got item %d, want %d", item, next)
		}
	}
}
