package queue

import (
	"context"
	"errors"
	"testing"
)

func never() bool { return false }

// A goroutine that is woken by its context tries once more before it gets an error.
func TestDoneContextEndsAWaitOnlyAfterATry(t *testing.T) {
	var e event
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	available := false
	// The context ends while the goroutine goes to sleep, after its last check, and an item arrives.
	arrives := func() bool { cancel(); available = true; return false }
	if err := e.retry(ctx, never, arrives, func() bool { return available }); err != nil {
		t.Fatalf("%v: the item that arrived in the meantime was missed", err)
	}
	if err := e.retry(ctx, never, never, never); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if e.sleepers.Load() != 0 || e.first != nil {
		t.Fatal("a sleeper is still listed")
	}
}

// A wake-up that comes while its goroutine leaves must not end a later sleep.
func TestLeavingWaiterTakesItsWakeUp(t *testing.T) {
	var e event
	s := e.announce()
	e.notify()
	e.leave(s)
	if again := e.announce(); again != s || len(again.wake) != 0 {
		t.Fatal("the wake-up is still there")
	}
}
