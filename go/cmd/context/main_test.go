package main

import (
	"testing"

	"fathom.dev/go/internal/example"
)

func TestLoopEndsAfterTheContextIsCanceled(t *testing.T) {
	for _, n := range []int{1, 10_000_000} {
		turns, outcome, err := run(example.Options{N: n})
		if err != nil || turns < n || outcome != "ended by context canceled" {
			t.Errorf("%d turns of %d, %q, %v", turns, n, outcome, err)
		}
	}
}
