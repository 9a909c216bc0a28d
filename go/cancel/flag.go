package cancel

import (
	"context"
	"sync"
	"sync/atomic"
)

// cacheLine is the distance in bytes at which two variables no longer slow each other down: amd64
// has lines of 64 bytes, but its prefetcher fetches them in aligned pairs; Apple's arm64 has lines
// of 128.
const cacheLine = 128

// A Flag is a cancellation flag. Checking it costs one atomic load. The zero value is ready to use
// and in its first generation. A Flag is safe for concurrent use and must not be copied after first
// use.
//
// In the terminology of the Go memory model, the call that cancels a Flag is synchronized before any
// call of [Flag.Canceled] that returns true because of it.
//
// [Flag.Reset] ends a generation of the Flag and begins the next. A [Generation] and what
// [Flag.CancelWith] arranges belong to one generation and have no effect after its end. Only
// [Flag.Cancel] and [Flag.CancelCause] act on whichever generation is current; code that might call
// them late uses a Generation instead.
type Flag struct {
	_   [cacheLine]byte // the memory next to the Flag may be written often
	set atomic.Bool     // written under mu
	_   [cacheLine - 4]byte

	mu         sync.Mutex
	generation uint64 // number of the current generation
	cause      error
	links      map[*link]struct{} // of the current generation, while it is not canceled
}

// A link connects the current generation of a Flag to a context that cancels it.
type link struct {
	stop func() bool // unregisters the callback
}

// Canceled reports whether the current generation is canceled.
func (f *Flag) Canceled() bool { return f.set.Load() }

// Cancel cancels the current generation with [context.Canceled] as the cause. It reports whether
// this call canceled it: false means that it was canceled before.
func (f *Flag) Cancel() bool { return f.CancelCause(nil) }

// CancelCause cancels the current generation; a nil cause means [context.Canceled]. It reports
// whether this call canceled it. If it was canceled before, the first cause is kept.
func (f *Flag) CancelCause(cause error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cancel(cause)
}

// Cause returns the cause of the cancellation, or nil if the current generation is not canceled.
func (f *Flag) Cause() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cause
}

// Reset ends the current generation, with all that [Flag.CancelWith] arranged for it, and begins the
// next, which is not canceled.
func (f *Flag) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.generation++
	if f.set.Load() {
		f.cause = nil
		f.set.Store(false)
	}
	f.unlinkAll()
}

// CancelWith arranges for the current generation to be canceled when ctx is done, with
// [context.Cause] of ctx as the cause. If ctx is already done, it cancels at once. The arrangement
// ends when the generation is canceled or over, or when stop is called; stop reports whether that
// call ended it. For a generation that is already canceled, CancelWith does nothing.
//
// It uses [context.AfterFunc]: no goroutine waits for a context of the standard library.
func (f *Flag) CancelWith(ctx context.Context) (stop func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		f.cancel(context.Cause(ctx))
	}
	if f.set.Load() {
		return func() bool { return false }
	}
	l := &link{}
	l.stop = context.AfterFunc(ctx, func() { f.follow(ctx, l) })
	if f.links == nil {
		f.links = make(map[*link]struct{})
	}
	f.links[l] = struct{}{}
	return func() bool { return f.unlink(l) }
}

// follow is called when ctx is done. It has no effect if the link ended while the call was on its
// way, as a link of an earlier generation has.
func (f *Flag) follow(ctx context.Context, l *link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, linked := f.links[l]; linked {
		f.cancel(context.Cause(ctx))
	}
}

func (f *Flag) unlink(l *link) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, linked := f.links[l]
	if linked {
		l.stop()
		delete(f.links, l)
	}
	return linked
}

// unlinkAll requires the mutex.
func (f *Flag) unlinkAll() {
	if len(f.links) == 0 {
		return // clear would cost as much as the rest of Reset
	}
	for l := range f.links {
		l.stop() // if the callback already runs, it finds itself unlinked
	}
	clear(f.links)
}

// cancel requires the mutex.
func (f *Flag) cancel(cause error) bool {
	if f.set.Load() {
		return false
	}
	if cause == nil {
		cause = context.Canceled
	}
	f.cause = cause
	f.set.Store(true)
	f.unlinkAll()
	return true
}

// A Generation is the time of a [Flag] from its first use or a [Flag.Reset] to the next Reset. It
// cancels the Flag within that time only. Generations can be compared with ==.
type Generation struct {
	flag   *Flag
	number uint64
}

// Generation returns the current generation.
func (f *Flag) Generation() Generation {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Generation{f, f.generation}
}

// Cancel cancels g with [context.Canceled] as the cause. It reports whether this call canceled it:
// false means that g was canceled before or is over.
func (g Generation) Cancel() bool { return g.CancelCause(nil) }

// CancelCause cancels g; a nil cause means [context.Canceled]. It reports whether this call canceled
// it: false means that g was canceled before, in which case the first cause is kept, or is over.
func (g Generation) CancelCause(cause error) bool {
	g.flag.mu.Lock()
	defer g.flag.mu.Unlock()
	return g.flag.generation == g.number && g.flag.cancel(cause)
}

// Over reports whether the Flag was Reset since g was current.
func (g Generation) Over() bool {
	g.flag.mu.Lock()
	defer g.flag.mu.Unlock()
	return g.flag.generation != g.number
}
