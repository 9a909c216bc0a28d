package cancel

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
)

// A callback that starts just as its generation ends or its link is stopped has no effect, whatever the
// state of the Flag.
func TestLateCallbackHasNoEffect(t *testing.T) {
	ctx, done := context.WithCancelCause(context.Background())
	var f Flag
	stop := f.CancelWith(ctx)
	var callback *link
	for l := range f.links {
		callback = l
	}

	stop()
	f.follow(ctx, callback)
	if f.Canceled() {
		t.Fatal("canceled by a link that was stopped")
	}

	f.CancelWith(ctx)
	for l := range f.links {
		callback = l
	}
	f.Reset()
	f.follow(ctx, callback)
	f.CancelWith(ctx)
	f.follow(ctx, callback)
	if f.Canceled() || len(f.links) != 1 {
		t.Fatal("a link of an earlier generation had an effect:", f.Canceled(), len(f.links))
	}

	for l := range f.links {
		callback = l
	}
	cause := errors.New("enough")
	done(cause)
	f.follow(ctx, callback) // as the context does, in a goroutine of its own
	if f.Cause() != cause {
		t.Fatal("the link of this generation had no effect:", f.Cause())
	}
}

// counted is a context that counts its callbacks and is never done.
type counted struct {
	context.Context
	followers int
}

func (c *counted) Done() <-chan struct{} { return make(chan struct{}) }

func (c *counted) AfterFunc(func()) (stop func() bool) {
	c.followers++
	stopped := false
	return func() bool {
		if stopped {
			return false
		}
		c.followers--
		stopped = true
		return true
	}
}

// However a generation ends, a context that outlives it keeps none of its callbacks.
func TestLinksEndWithTheirGeneration(t *testing.T) {
	over, done := context.WithCancel(context.Background())
	done()
	for name, end := range map[string]func(f *Flag){
		"Cancel":                    func(f *Flag) { f.Cancel() },
		"Generation.Cancel":         func(f *Flag) { f.Generation().Cancel() },
		"Reset":                     func(f *Flag) { f.Reset() },
		"CancelWith a done context": func(f *Flag) { f.CancelWith(over) },
		"a context that is done later": func(f *Flag) {
			other := &counted{Context: context.Background()}
			before := maps.Clone(f.links)
			f.CancelWith(other)
			for l := range f.links {
				if _, first := before[l]; !first {
					f.follow(other, l) // as its callback does
				}
			}
		},
	} {
		var f Flag
		server := &counted{Context: context.Background()}
		stop := f.CancelWith(server)
		f.CancelWith(server)
		if server.followers != 2 {
			t.Fatal(server.followers)
		}
		end(&f)
		if server.followers > 0 || len(f.links) > 0 {
			t.Errorf("%s: %d callbacks, %d links are left", name, server.followers, len(f.links))
		}
		if stop() {
			t.Errorf("%s: stop ended a link that had ended", name)
		}
		f.Cancel()
		if stop := f.CancelWith(server); server.followers > 0 || len(f.links) > 0 || stop() {
			t.Errorf("%s: a canceled generation was linked", name)
		}
		f.Reset()
		if stop := f.CancelWith(server); server.followers != 1 || !stop() || server.followers != 0 {
			t.Errorf("%s: the next generation has no link", name)
		}
	}
}

func TestConcurrentCancelAndReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rounds = 1000
		var flag Flag
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for range rounds {
					ctx, done := context.WithCancel(context.Background())
					stop := flag.CancelWith(ctx)
					switch i {
					case 0:
						flag.Reset()
					case 1:
						flag.Cancel()
					case 2:
						stop()
					}
					done()
					if flag.Canceled() && flag.Cause() == nil {
						runtime.Gosched() // a Reset came in between
					}
				}
			})
		}
		all.Wait()
		synctest.Wait() // until the callbacks of the contexts have run
		if flag.generation != rounds || len(flag.links) != 0 || flag.Canceled() != (flag.Cause() != nil) {
			t.Fatalf("%d generations are over, %d links left, canceled: %v, by %v", flag.generation, len(flag.links), flag.Canceled(), flag.Cause())
		}
		flag.Reset()
		if flag.Canceled() || flag.Cause() != nil {
			t.Fatal("canceled after Reset by", flag.Cause())
		}
		if !flag.Cancel() || flag.Cause() != context.Canceled {
			t.Fatal("not canceled after Cancel")
		}
	})
}
