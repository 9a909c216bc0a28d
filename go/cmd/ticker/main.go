// Command ticker runs a hot loop that counts milliseconds: in each iteration it calls a tick.Batch,
// which reads the clock only now and then.
//
//	go run fathom.dev/go/cmd/ticker -n 10000000
package main

import (
	"fmt"
	"os"
	"time"

	"fathom.dev/go/internal/example"
	"fathom.dev/go/tick"
)

var command = example.Command{
	Name: "ticker", About: "runs a hot loop that counts milliseconds", Experiment: "go-tick", Run: run,
}

func main() {
	os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr))
}

func run(o example.Options) (int, string, error) {
	due := tick.NewBatch(time.Millisecond, 0.01)
	ticks := 0
	for range o.N {
		if due.Tick() {
			ticks++
		}
	}
	return o.N, fmt.Sprintf("%d ticks of a millisecond, %d missed", ticks, due.Missed()), nil
}
