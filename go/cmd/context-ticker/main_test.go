package main

import (
	"fmt"
	"testing"

	"fathom.dev/go/internal/example"
)

func TestLoopReceivesItemsInOrderUntilCanceled(t *testing.T) {
	for _, size := range []int{1, 1024} {
		turns, outcome, err := run(example.Options{N: 100_000, Size: size})
		var items, ticks int
		_, scanned := fmt.Sscanf(outcome, "%d items in order, %d ticks of a millisecond, ended by context canceled", &items, &ticks)
		if err != nil || turns < 100_000 || scanned != nil || items < 1 || items > turns {
			t.Errorf("size %d: %d turns, %q, %v", size, turns, outcome, err)
		}
	}
}
