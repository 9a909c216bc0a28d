package queue

import (
	"context"
	"errors"
	"testing"
)

// Who is woken by its context looks once more, and only then has nothing to expect.
func TestAContextThatIsDoneEndsNoWaitWithoutALook(t *testing.T) {
	var e event
	ctx, cancel := context.WithCancel(context.Background())
	// Done while it goes to sleep, after its last look.
	if err := e.await(ctx, spins, func() bool { cancel(); return false }); err != nil {
		t.Fatalf("%v, and what came meanwhile is not seen", err)
	}
	if err := e.await(ctx, spins, func() bool { return false }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if e.awaited() || e.first != nil {
		t.Fatal("somebody is still announced")
	}
}
