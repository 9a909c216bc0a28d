// Command ticker measures what it costs to ask whether it is time: a select on a time.Ticker, and the
// tickers of package tick.
//
//	go run fathom.dev/go/cmd/ticker -n 10000000
package main

import (
	"os"
	"time"

	"fathom.dev/go/internal/measure"
	"fathom.dev/go/tick"
)

// period is so long that the answer is no, and that a Batch is as large as it may be: LargestBatch calls.
const period = time.Hour

func main() {
	os.Exit(measure.Main("ticker", "tick check", false, os.Args[1:], os.Stdout, os.Stderr, groups))
}

// Each counts the turns at which it was not time: all of them.
func groups(measure.Options) [][]measure.Contender {
	all := []measure.Contender{
		{Name: "standard: time.Ticker", Run: func(n int) int {
			t := tick.NewStd(period)
			defer t.Stop()
			early := 0
			for range n {
				if !t.Tick() {
					early++
				}
			}
			return early
		}},
		{Name: "optimized: tick.Batch", Run: func(n int) int {
			t := tick.NewBatch(period, 0.01)
			early := 0
			for range n {
				if !t.Tick() {
					early++
				}
			}
			return early
		}},
		{Name: "optimized: tick.Mono", Run: func(n int) int {
			t := tick.NewMono(period)
			early := 0
			for range n {
				if !t.Tick() {
					early++
				}
			}
			return early
		}},
	}
	if _, err := tick.NewTSC(period); err != nil {
		return [][]measure.Contender{all} // this machine has no counter for it
	}
	all = append(all, measure.Contender{Name: "optimized: tick.TSC", Run: func(n int) int {
		t, _ := tick.NewTSC(period)
		early := 0
		for range n {
			if !t.Tick() {
				early++
			}
		}
		return early
	}})
	return [][]measure.Contender{all}
}
