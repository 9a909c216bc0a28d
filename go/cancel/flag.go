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

// Flag is a cancellation flag. Checking it costs one atomic load. The zero value is ready to use
// and in its first run. A Flag is safe for concurrent use and must not be copied.
//
// Everything that happened before a Flag was canceled is visible to a goroutine that has seen the
// cancellation.
//
// Reset ends a run and begins the next. Links to contexts and Run values belong to one run and have
// no effect after its end. Only Cancel and CancelCause of the Flag itself act on whichever run is
// current; code that might call them late uses a Run instead.
type Flag struct {
	_   [cacheLine]byte // the memory next to the Flag may be written often
	set atomic.Bool     // written under mu
	_   [cacheLine - 4]byte

	mu    sync.Mutex
	run   uint64 // number of the current run
	cause error
	links map[*link]struct{} // of the current run, while it is not canceled
}

// Run identifies one run of a Flag.
type Run struct {
	flag   *Flag
	number uint64
}

// link connects a run to a context that cancels it.
type link struct {
	stop func() bool // unregisters the callback
}

// Canceled reports whether the current run is canceled.
func (f *Flag) Canceled() bool { return f.set.Load() }

// Cancel cancels the current run with context.Canceled as the cause. It returns false if the run
// was canceled before.
func (f *Flag) Cancel() bool { return f.CancelCause(nil) }

// CancelCause cancels the current run; a nil cause means context.Canceled. It returns false, and
// keeps the first cause, if the run was canceled before.
func (f *Flag) CancelCause(cause error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cancel(cause)
}

// Cause returns the cause of the cancellation, or nil if the current run is not canceled.
func (f *Flag) Cause() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cause
}

// Reset ends the current run and all its links, and begins the next run, which is not canceled.
func (f *Flag) Reset() {
	f.mu.Lock()
	f.run++
	if f.set.Load() {
		f.cause = nil
		f.set.Store(false)
	}
	if len(f.links) > 0 {
		f.unlinkAll()
	}
	f.mu.Unlock()
}

// unlinkAll requires the mutex.
func (f *Flag) unlinkAll() {
	for l := range f.links {
		l.stop() // if the callback already runs, it finds itself unlinked
	}
	clear(f.links)
}

// Run returns the current run.
func (f *Flag) Run() Run {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Run{f, f.run}
}

// Cancel is like [Flag.Cancel], for this run only. It also returns false if the run is over.
func (r Run) Cancel() bool { return r.CancelCause(nil) }

// CancelCause is like [Flag.CancelCause], for this run only. It also returns false if the run is
// over.
func (r Run) CancelCause(cause error) bool {
	r.flag.mu.Lock()
	defer r.flag.mu.Unlock()
	return r.flag.run == r.number && r.flag.cancel(cause)
}

// Over reports whether the run has ended, that is, whether the Flag was Reset since.
func (r Run) Over() bool {
	r.flag.mu.Lock()
	defer r.flag.mu.Unlock()
	return r.flag.run != r.number
}

// Link cancels the current run when the context is done, with the context's cause; immediately if
// the context is already done. The link ends when the run is canceled or over, or when the returned
// function is called, which reports whether that call ended the link. A run that is already
// canceled is not linked.
//
// Contexts of the standard library accept a callback, so that nothing waits in the meantime. For
// other contexts, unless they have an AfterFunc method or derive from a standard one, the standard
// library starts a goroutine that waits.
func (f *Flag) Link(ctx context.Context) (stop func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		f.cancel(context.Cause(ctx))
		return func() bool { return false }
	}
	if f.set.Load() {
		return func() bool { return false } // nothing to cancel
	}
	run := Run{f, f.run}
	l := &link{}
	l.stop = context.AfterFunc(ctx, func() { run.follow(ctx, l) })
	if f.links == nil {
		f.links = make(map[*link]struct{})
	}
	f.links[l] = struct{}{}
	return func() bool { return run.unlink(l) }
}

// follow is called when the context is done. It has no effect if the run is over or the link was
// stopped.
func (r Run) follow(ctx context.Context, l *link) {
	r.flag.mu.Lock()
	defer r.flag.mu.Unlock()
	if r.flag.run != r.number {
		return
	}
	// The link may have been stopped while this call was on its way.
	if _, linked := r.flag.links[l]; linked {
		delete(r.flag.links, l)
		r.flag.cancel(context.Cause(ctx))
	}
}

func (r Run) unlink(l *link) bool {
	r.flag.mu.Lock()
	defer r.flag.mu.Unlock()
	_, linked := r.flag.links[l]
	if linked {
		l.stop()
		delete(r.flag.links, l)
	}
	return linked
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
