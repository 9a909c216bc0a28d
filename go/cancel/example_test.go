package cancel_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fathom.dev/go/cancel"
)

// A loop that polls, and stops when its context is done.
func Example() {
	ctx, stop := context.WithTimeoutCause(context.Background(), time.Millisecond, errors.New("enough"))
	defer stop()

	var flag cancel.Flag
	defer flag.Link(ctx)()
	steps := 0
	for !flag.Canceled() {
		steps++ // the work
	}
	fmt.Println("stopped:", flag.Cause(), steps > 0)
	// Output: stopped: enough true
}

// One Flag serves many runs. Code that might cancel late holds a Run, which is over after Reset.
func ExampleFlag_Reset() {
	var flag cancel.Flag
	first := flag.Run()
	flag.Cancel()
	fmt.Println("first run canceled:", flag.Canceled())

	flag.Reset()
	fmt.Println("late cancel has an effect:", first.Cancel())
	fmt.Println("second run canceled:", flag.Canceled())
	// Output:
	// first run canceled: true
	// late cancel has an effect: false
	// second run canceled: false
}
