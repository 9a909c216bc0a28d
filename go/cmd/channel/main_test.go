package main

import (
	"testing"

	"fathom.dev/go/internal/example"
)

func TestEveryItemArrivesInOrder(t *testing.T) {
	for _, size := range []int{1, 16, 1024} {
		turns, outcome, err := run(example.Options{N: 5000, Size: size})
		if err != nil || turns != 5000 || outcome != "all items in order" {
			t.Errorf("size %d: %d turns, %q, %v", size, turns, outcome, err)
		}
	}
}
