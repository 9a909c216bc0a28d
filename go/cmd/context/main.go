// Command context runs a hot loop that ends when a context is canceled: in each iteration it checks
// a cancel.Flag that is canceled with the context.
//
//	go run fathom.dev/go/cmd/context -n 10000000
package main

import (
	"context"
	"os"

	"fathom.dev/go/cancel"
	"fathom.dev/go/internal/example"
)

var command = example.Command{
	Name: "context", About: "runs a hot loop that ends when a context is canceled", Experiment: "go-cancel", Run: run,
}

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr))
}

// run cancels the context in iteration N. The loop continues until the flag is set, some thousand
// iterations later, because the context sets it from another goroutine.
func run(o example.Options) (int, string, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var canceled cancel.Flag
	defer canceled.CancelWith(ctx)()
	turns := 0
	for !canceled.Canceled() {
		if turns++; turns == o.N {
			stop()
		}
	}
	return turns, "ended by " + canceled.Cause().Error(), nil
}
