package cancel_test

import (
	"context"
	"errors"
	"fmt"

	"fathom.dev/go/cancel"
)

// A loop that polls, and stops when its context is done.
func Example() {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)

	var flag cancel.Flag
	defer flag.CancelWith(ctx)()
	steps := 0
	for !flag.Canceled() {
		steps++ // the work
		if steps == 1000 {
			stop(errors.New("enough")) // usually from elsewhere
		}
	}
	fmt.Println("stopped:", flag.Cause(), steps >= 1000)
	// Output: stopped: enough true
}

// A worker stops the others with the first error.
func ExampleFlag() {
	var flag cancel.Flag // the zero value is ready to use
	fmt.Println(flag.Canceled())
	fmt.Println(flag.CancelCause(errors.New("disk full")), flag.CancelCause(errors.New("too late")))
	fmt.Println(flag.Canceled(), flag.Cause())
	// Output:
	// false
	// true false
	// true disk full
}

// One Flag serves many requests in turn.
func ExampleFlag_Reset() {
	var flag cancel.Flag
	for _, deadline := range []bool{true, false} {
		if deadline {
			flag.Cancel()
		}
		fmt.Println(flag.Canceled())
		flag.Reset()
	}
	// Output:
	// true
	// false
}

// Code that might cancel late holds a Generation, which is over after Reset.
func ExampleGeneration() {
	var flag cancel.Flag
	first := flag.Generation()
	flag.Reset()
	fmt.Println(first.Over(), first.Cancel(), flag.Canceled())
	fmt.Println(flag.Generation().Cancel(), flag.Canceled())
	// Output:
	// true false false
	// true true
}

// The flag follows one context after another.
func ExampleFlag_CancelWith() {
	first, cancelFirst := context.WithCancelCause(context.Background())
	var flag cancel.Flag
	stop := flag.CancelWith(first)
	fmt.Println(stop()) // the flag no longer follows the context
	cancelFirst(errors.New("too late"))
	fmt.Println(flag.Canceled())

	flag.CancelWith(first) // first is done
	fmt.Println(flag.Cause())
	// Output:
	// true
	// false
	// too late
}
