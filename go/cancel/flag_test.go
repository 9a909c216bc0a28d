package cancel

import (
	"context"
	"errors"
	"testing"
)

// A callback that was on its way when its run ended, or its link was stopped, comes late: in whatever
// state the Flag is then, it does nothing.
func TestACallbackThatIsUnderWayComesTooLate(t *testing.T) {
	ctx, done := context.WithCancelCause(context.Background())
	var f Flag
	stop := f.Link(ctx)
	run := f.Run()
	var callback *link
	for l := range f.links {
		callback = l
	}

	stop()
	run.follow(ctx, callback)
	if f.Canceled() {
		t.Fatal("canceled by a link that was stopped")
	}

	f.Link(ctx)
	for l := range f.links {
		callback = l
	}
	f.Reset()
	run.follow(ctx, callback)
	f.Link(ctx)
	run.follow(ctx, callback)
	if f.Canceled() || len(f.links) != 1 {
		t.Fatal("a link of the run before did something:", f.Canceled(), len(f.links))
	}

	cause := errors.New("enough")
	done(cause)
	for l := range f.links {
		f.Run().follow(ctx, l)
	}
	if f.Cause() != cause {
		t.Fatal("the link of this run did nothing:", f.Cause())
	}
}
