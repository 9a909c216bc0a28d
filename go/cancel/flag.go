package cancel

import (
	"context"
	"sync"
	"sync/atomic"
)

// cacheLine is the distance at which two variables stop slowing each other down: amd64 has lines of
// 64 bytes, but its prefetcher fetches them in aligned pairs; Apple's arm64 has lines of 128.
const cacheLine = 128

// Flag is canceled once in a run, and asked as often as one likes: that is one atomic load. The zero
// value is ready, and in its first run. Any goroutines may use it. It must not be copied.
//
// What happened before a Flag was canceled is visible to who has seen that it was.
//
// Reset ends a run and begins the next. Whatever belongs to a run has no effect after its end: links
// to contexts, and what holds a Run. Only Cancel and CancelCause of the Flag itself are about the run
// that there is when they are called; who might call them late takes a Run in time.
type Flag struct {
	_   [cacheLine]byte // what is next to the Flag may be written often
	set atomic.Bool     // written under mu
	_   [cacheLine - 4]byte

	mu    sync.Mutex
	run   uint64 // number of the current run
	cause error
	links map[*link]struct{} // of the current run, while it is not canceled
}

// Run is one run of a Flag.
type Run struct {
	flag   *Flag
	number uint64
}

// link is a context that a run follows.
type link struct {
	stop func() bool // takes the callback back
}

// Canceled is whether it was canceled in this run.
func (f *Flag) Canceled() bool { return f.set.Load() }

// Cancel cancels the current run with context.Canceled as the cause. False if that was done before.
func (f *Flag) Cancel() bool { return f.CancelCause(nil) }

// CancelCause cancels the current run; a nil cause is context.Canceled. False if that was done
// before: the first cause stays.
func (f *Flag) CancelCause(cause error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cancel(cause)
}

// Cause is why it was canceled; nil if it was not.
func (f *Flag) Cause() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cause
}

// Reset ends the run, with all links, and begins the next, which is not canceled.
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

// unlinkAll needs the mutex.
func (f *Flag) unlinkAll() {
	for l := range f.links {
		l.stop() // or its callback is under way, and finds that it is not linked any more
	}
	clear(f.links)
}

// Run is the current run.
func (f *Flag) Run() Run {
	f.mu.Lock()
	defer f.mu.Unlock()
	return Run{f, f.run}
}

// Cancel is as the Flag's, for this run. False also if the run is over.
func (r Run) Cancel() bool { return r.CancelCause(nil) }

// CancelCause is as the Flag's, for this run. False also if the run is over.
func (r Run) CancelCause(cause error) bool {
	r.flag.mu.Lock()
	defer r.flag.mu.Unlock()
	return r.flag.run == r.number && r.flag.cancel(cause)
}

// Over is whether the Flag was Reset since.
func (r Run) Over() bool {
	r.flag.mu.Lock()
	defer r.flag.mu.Unlock()
	return r.flag.run != r.number
}

// Link cancels the current run when the context is done, with the context's cause; at once if it is.
// The link ends when the run is canceled or over, or by the function that Link returns, which tells
// whether this call ended the link. A run that is canceled already is not linked.
//
// Contexts of the standard library take a callback, so that nothing waits in the meantime. For others
// that neither have an AfterFunc nor are derived from one of those, the standard library starts a
// goroutine that waits.
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

// follow is called when the context is done.
func (r Run) follow(ctx context.Context, l *link) {
	r.flag.mu.Lock()
	defer r.flag.mu.Unlock()
	if r.flag.run != r.number {
		return
	}
	// Not linked any more: stopped while this was on its way.
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

// cancel needs the mutex.
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
