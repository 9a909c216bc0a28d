// Command context is a hot loop that a context ends: it asks a cancel.Flag at each turn, which is
// linked to the context.
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
	Name: "context", About: "a hot loop that ends when a context is canceled", Experiment: "go-cancel", Run: run,
}

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr))
}

// run cancels the context at turn N. The loop goes on until the flag knows, which is some thousand
// turns later: the context tells it from a goroutine of its own.
func run(o example.Options) (int, string, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var canceled cancel.Flag
	defer canceled.Link(ctx)()
	turns := 0
	for !canceled.Canceled() {
		if turns++; turns == o.N {
			stop()
		}
	}
	return turns, "ended by " + canceled.Cause().Error(), nil
}
