package tick_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"fathom.dev/go/tick"
)

// A loop that reports every 2 ms, at most a tenth of that late.
func ExampleBatch() {
	report := tick.NewBatch(2*time.Millisecond, 0.1)
	steps, reports := 0, 0
	for reports < 3 {
		steps++ // the work
		if report.Tick() {
			reports++
		}
	}
	fmt.Println(reports, "reports, fewer than calls:", steps > reports)
	// Output: 3 reports, fewer than calls: true
}

// Several goroutines share a ticker: one of them gets the tick.
func ExampleMono() {
	ticker := tick.NewMono(time.Millisecond)
	var ticks atomic.Int32
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for ticks.Load() == 0 {
				if ticker.Tick() {
					ticks.Add(1)
				}
			}
		})
	}
	working.Wait()
	fmt.Println(ticks.Load() > 0)
	// Output: true
}

// Uses the processor's counter if there is one, otherwise the clock.
func ExampleTSC() {
	var ticker interface{ Tick() bool }
	ticker, err := tick.NewTSC(time.Millisecond)
	if errors.Is(err, tick.ErrNoCounter) {
		ticker = tick.NewMono(time.Millisecond)
	}
	for !ticker.Tick() {
	}
	fmt.Println("a millisecond has passed")
	// Output: a millisecond has passed
}
