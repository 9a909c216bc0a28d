// Command context measures what it costs to ask whether a loop was canceled: a select on the Done
// channel of a context, its Err method, and a cancel.Flag.
//
//	go run fathom.dev/go/cmd/context -n 10000000
package main

import (
	"context"
	"os"

	"fathom.dev/go/cancel"
	"fathom.dev/go/internal/measure"
)

func main() {
	os.Exit(measure.Main("context", "cancellation check", false, os.Args[1:], os.Stdout, os.Stderr, groups))
}

// Each counts the turns until it is canceled, which it is in the end: so none can leave the asking out.
func groups(measure.Options) [][]measure.Contender {
	return [][]measure.Contender{{
		{Name: "standard: select on Done", Run: func(n int) int {
			c := cancel.NewContext(context.Background())
			turns := 0
			for ; turns < n && !c.Canceled(); turns++ {
			}
			c.Cancel()
			if c.Canceled() {
				turns++
			}
			return turns
		}},
		{Name: "standard: Err", Run: func(n int) int {
			ctx, stop := context.WithCancel(context.Background())
			turns := 0
			for ; turns < n && ctx.Err() == nil; turns++ {
			}
			stop()
			if ctx.Err() != nil {
				turns++
			}
			return turns
		}},
		{Name: "optimized: cancel.Flag", Run: func(n int) int {
			var f cancel.Flag
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			f.Link(ctx)
			turns := 0
			for ; turns < n && !f.Canceled(); turns++ {
			}
			f.Cancel()
			if f.Canceled() {
				turns++
			}
			return turns
		}},
	}}
}
