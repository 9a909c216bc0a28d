package cancel_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fathom.dev/go/cancel"
)

var errEnough = errors.New("enough")

func TestFirstCauseIsKept(t *testing.T) {
	var flag cancel.Flag
	context_ := cancel.NewContext(context.Background())
	if flag.Canceled() || context_.Canceled() || flag.Cause() != nil || context_.Cause() != nil {
		t.Fatal("canceled from the start")
	}
	context_.CancelCause(errEnough)
	context_.Cancel()
	if !flag.CancelCause(errEnough) || flag.Cancel() || flag.CancelCause(nil) {
		t.Fatal("only the first Cancel returns true")
	}
	if !flag.Canceled() || flag.Cause() != errEnough || !context_.Canceled() || context_.Cause() != errEnough {
		t.Fatal(flag.Cause(), context_.Cause())
	}
	flag.Reset()
	if flag.Canceled() || flag.Cause() != nil {
		t.Fatal("canceled after Reset")
	}
	if !flag.Cancel() || flag.Cause() != context.Canceled {
		t.Fatal(flag.Cause())
	}
}

func TestContextFollowsItsParent(t *testing.T) {
	parent, stop := context.WithCancelCause(context.Background())
	c := cancel.NewContext(parent)
	stop(errEnough)
	if !c.Canceled() || c.Cause() != errEnough {
		t.Fatal(c.Cause())
	}
}

func TestLinkFollowsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, done := context.WithTimeoutCause(context.Background(), time.Hour, errEnough)
		defer done()
		var flag cancel.Flag
		stop := flag.Link(ctx)
		synctest.Wait()
		if flag.Canceled() {
			t.Fatal("canceled before the context is done")
		}
		<-ctx.Done()
		synctest.Wait()
		if !flag.Canceled() || flag.Cause() != errEnough {
			t.Fatal("not canceled with the context:", flag.Cause())
		}
		if stop() {
			t.Fatal("stop returned true after the context was done")
		}
		flag.Reset()
		flag.Link(ctx)
		if !flag.Canceled() {
			t.Fatal("linking to a context that is done does not cancel immediately")
		}
	})
}

func TestEndedLinkHasNoEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, done := context.WithCancel(context.Background())
		var stopped, reset, other cancel.Flag
		stop := stopped.Link(ctx)
		reset.Link(ctx)
		stopOther := other.Link(ctx)
		if !stop() || stop() {
			t.Fatal("stop must return true exactly once")
		}
		reset.Reset()
		other.Reset()
		other.Link(ctx)
		if stopOther() {
			t.Fatal("stop returned true for a link that ended with its run")
		}
		done()
		synctest.Wait()
		if stopped.Canceled() || reset.Canceled() {
			t.Fatal("canceled by a link that had ended")
		}
		if !other.Canceled() {
			t.Fatal("not canceled by the link of this run")
		}
	})
}

func TestRunDoesNotAffectTheNextRun(t *testing.T) {
	var flag cancel.Flag
	first := flag.Run()
	if first.Over() {
		t.Fatal("over before Reset")
	}
	flag.Reset()
	if first.Cancel() || flag.Canceled() || !first.Over() {
		t.Fatal("a run that is over canceled the next one")
	}
	if !flag.Run().CancelCause(errEnough) || flag.Cause() != errEnough {
		t.Fatal("the current run was not canceled")
	}
}

func TestLinkStartsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, done := context.WithCancel(context.Background())
		flags := make([]cancel.Flag, 100)
		before := runtime.NumGoroutine()
		for i := range flags {
			flags[i].Link(ctx)
		}
		if n := runtime.NumGoroutine() - before; n >= len(flags) {
			t.Fatalf("%d goroutines for %d links", n, len(flags))
		}
		done()
		synctest.Wait()
		for i := range flags {
			if !flags[i].Canceled() {
				t.Fatal("not canceled")
			}
		}
	})
}

// A loop links, works and resets while contexts end at any moment. No context cancels a later run
// than its own.
func TestLateCallbacksDoNotReachTheNextRun(t *testing.T) {
	var flag cancel.Flag
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	var ending sync.WaitGroup
	for i := range rounds {
		cause := fmt.Errorf("context %d", i)
		ctx, done := context.WithCancelCause(context.Background())
		stop := flag.Link(ctx)
		ending.Go(func() { done(cause) })
		if i%3 == 0 {
			runtime.Gosched()
		}
		if i%2 == 0 {
			stop()
		}
		if got := flag.Cause(); got != nil && got != cause {
			t.Fatalf("%v canceled the run of %v", got, cause)
		}
		flag.Reset()
	}
	ending.Wait()
}

// A goroutine that sees the cancellation also sees everything written before Cancel; the race
// detector checks this.
func TestCancelPublishesEarlierWrites(t *testing.T) {
	var flag cancel.Flag
	result := 0
	go func() {
		result = 42
		flag.Cancel()
	}()
	for !flag.Canceled() {
		runtime.Gosched()
	}
	if result != 42 {
		t.Fatal(result)
	}
}

func TestCallsDoNotAllocate(t *testing.T) {
	var flag cancel.Flag
	c := cancel.NewContext(context.Background())
	for name, f := range map[string]func(){
		"Flag":    func() { flag.Canceled() },
		"Context": func() { c.Canceled() },
		"Reset":   func() { flag.Reset(); flag.Cancel() },
		"Run":     func() { flag.Run().Cancel() },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestCanceledIsInlined(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here")
	}
	// -a is not needed: the build cache keeps the compiler's output.
	out, err := exec.Command(goTool, "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("cannot build here: %v: %s", err, out)
	}
	if !strings.Contains(string(out), "can inline (*Flag).Canceled") {
		t.Fatalf("(*Flag).Canceled is not inlined:\n%s", out)
	}
}
