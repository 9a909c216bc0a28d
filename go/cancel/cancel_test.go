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
	if flag.Canceled() || flag.Cause() != nil {
		t.Fatal("canceled from the start")
	}
	if !flag.CancelCause(errEnough) || flag.Cancel() || flag.CancelCause(nil) {
		t.Fatal("only the first Cancel returns true")
	}
	if !flag.Canceled() || flag.Cause() != errEnough {
		t.Fatal(flag.Cause())
	}
	flag.Reset()
	if flag.Canceled() || flag.Cause() != nil {
		t.Fatal("canceled after Reset")
	}
	if !flag.Cancel() || flag.Cause() != context.Canceled {
		t.Fatal(flag.Cause())
	}
}

func TestCancelWithFollowsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, done := context.WithTimeoutCause(context.Background(), time.Hour, errEnough)
		defer done()
		var flag cancel.Flag
		stop := flag.CancelWith(ctx)
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
		flag.CancelWith(ctx)
		if !flag.Canceled() {
			t.Fatal("CancelWith a context that is done does not cancel immediately")
		}
	})
}

func TestEndedLinkHasNoEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, done := context.WithCancel(context.Background())
		var stopped, reset, other cancel.Flag
		stop := stopped.CancelWith(ctx)
		reset.CancelWith(ctx)
		stopOther := other.CancelWith(ctx)
		if !stop() || stop() {
			t.Fatal("stop must return true exactly once")
		}
		reset.Reset()
		other.Reset()
		other.CancelWith(ctx)
		if stopOther() {
			t.Fatal("stop returned true for a link that ended with its generation")
		}
		done()
		synctest.Wait()
		if stopped.Canceled() || reset.Canceled() {
			t.Fatal("canceled by a link that had ended")
		}
		if !other.Canceled() {
			t.Fatal("not canceled by the link of this generation")
		}
	})
}

func TestGenerationDoesNotAffectTheNext(t *testing.T) {
	var flag cancel.Flag
	first := flag.Generation()
	if first.Over() {
		t.Fatal("over before Reset")
	}
	flag.Reset()
	if first.Cancel() || flag.Canceled() || !first.Over() {
		t.Fatal("a generation that is over canceled the next one")
	}
	if !flag.Generation().CancelCause(errEnough) || flag.Cause() != errEnough {
		t.Fatal("the current generation was not canceled")
	}
}

func TestCancelWithStartsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, done := context.WithCancel(context.Background())
		flags := make([]cancel.Flag, 100)
		before := runtime.NumGoroutine()
		for i := range flags {
			flags[i].CancelWith(ctx)
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

// A loop links, works and resets while contexts end at any moment. No context cancels a later
// generation than its own.
func TestLateCallbacksDoNotReachTheNextGeneration(t *testing.T) {
	var flag cancel.Flag
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	var ending sync.WaitGroup
	for i := range rounds {
		cause := fmt.Errorf("context %d", i)
		ctx, done := context.WithCancelCause(context.Background())
		stop := flag.CancelWith(ctx)
		ending.Go(func() { done(cause) })
		if i%3 == 0 {
			runtime.Gosched()
		}
		if i%2 == 0 {
			stop()
		}
		if got := flag.Cause(); got != nil && got != cause {
			t.Fatalf("%v canceled the generation of %v", got, cause)
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
	for name, f := range map[string]func(){
		"Flag":       func() { flag.Canceled() },
		"Reset":      func() { flag.Reset(); flag.Cancel() },
		"Generation": func() { flag.Generation().Cancel() },
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
