package main

import (
	"fmt"
	"testing"

	"fathom.dev/go/internal/example"
)

func TestLoopCountsTicks(t *testing.T) {
	for _, n := range []int{1, 100_000} {
		turns, outcome, err := run(example.Options{N: n})
		var ticks, missed int
		_, scanned := fmt.Sscanf(outcome, "%d ticks of a millisecond, %d missed", &ticks, &missed)
		if err != nil || turns != n || scanned != nil || ticks < 0 || ticks > n {
			t.Errorf("%d turns of %d, %q, %v", turns, n, outcome, err)
		}
	}
}
