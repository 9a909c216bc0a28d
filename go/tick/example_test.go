package tick_test

import (
	"errors"
	"fmt"
	"time"

	"fathom.dev/go/tick"
)

// A loop that reports every 2 ms, late by at most a tenth of that.
func ExampleBatch() {
	report := tick.NewBatch(2*time.Millisecond, 0.1)
	steps, reports := 0, 0
	for reports < 3 {
		steps++ // the work
		if report.Tick() {
			reports++
		}
	}
	fmt.Println(reports, "reports, most calls did not ask the clock:", steps > reports)
	// Output: 3 reports, most calls did not ask the clock: true
}

// The processor's counter where there is one, else the clock.
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
