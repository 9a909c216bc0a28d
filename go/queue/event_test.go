package queue

import (
	"context"
	"errors"
	"testing"
)

// A goroutine that is woken by its context checks the condition once more before it gets an error.
func TestDoneContextEndsAWaitOnlyAfterACheck(t *testing.T) {
	var e event
	ctx, cancel := context.WithCancel(context.Background())
	// The context ends while the goroutine goes to sleep, after its last check.
	if err := e.await(ctx, spins, func() bool { cancel(); return false }); err != nil {
		t.Fatalf("%v: an item that arrived in the meantime would be missed", err)
	}
	if err := e.await(ctx, spins, func() bool { return false }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if e.awaited() || e.first != nil {
		t.Fatal("a sleeper is still listed")
	}
}
