package queue

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// An event is an event count: goroutines sleep on it until a condition may have changed. The zero
// value is ready to use.
//
// A goroutine that changes the condition does so by a sync/atomic write and then calls notify(). A
// waiter announces itself and checks the condition again before it sleeps. Go's atomics have one
// total order, so either notify() sees the announcement or the second check sees the change: no
// wake-up is lost.
//
// One notify() is enough, even if the change serves several sleepers, as Close does, a push into an
// MPMC that makes later items available, too, or a single consumer that publishes several pops at a
// time: a goroutine that is woken tries, and if that succeeds or can never succeed, wakes the next
// sleeper as long as the condition holds. If the try fails, the condition does not hold, and the
// goroutine that makes it true again will notify. So no wake-up is lost if the context of a sleeper
// is done at the same time: it tries like any other.
type event struct {
	sleepers atomic.Int32 // length of the list; every notify() reads it

	mu    sync.Mutex
	first *sleeper
	last  *sleeper
	spare *sleeper // free list, linked by next
}

// A sleeper is a goroutine that sleeps or is about to. The event's mutex guards it. Each sleeper
// belongs to one event forever: a global pool would carry channels into and out of the bubbles of
// testing/synctest, which forbids that.
type sleeper struct {
	wake           chan struct{} // holds one wake-up
	listed         bool
	previous, next *sleeper
}

// retry calls try until it returns true, or until it has failed and either over reports that it can
// never succeed, which is ErrClosed, or ctx is done. Between two calls, retry yields the processor,
// and after some turns it sleeps until ready may report true. ready must report true whenever try
// can succeed or over reports true.
//
// A goroutine that is woken by its context calls try once more, so that an available item takes
// precedence.
func (e *event) retry(ctx context.Context, over, ready, try func() bool) error {
	for turn := 0; ; turn++ {
		switch {
		case try():
			e.passOn(ready)
			return nil
		case over():
			e.passOn(ready)
			return ErrClosed
		case ctx.Err() != nil:
			return ctx.Err()
		case turn < spins:
			runtime.Gosched()
		default:
			e.sleep(ctx, ready)
			turn = -1
		}
	}
}

// sleep returns when ready reports true, the goroutine is woken, or ctx is done.
func (e *event) sleep(ctx context.Context, ready func() bool) {
	schedPoint()
	s := e.announce()
	schedPoint()
	if ready() {
		e.leave(s)
		return
	}
	schedPoint()
	select {
	case <-s.wake:
		e.mu.Lock()
		e.keep(s)
		e.mu.Unlock()
	case <-ctx.Done():
		e.leave(s)
	}
}

// passOn wakes the next sleeper if its condition holds as well.
func (e *event) passOn(ready func() bool) {
	if e.sleepers.Load() != 0 && ready() {
		e.notify()
	}
}

// notify wakes the sleeper that has waited longest.
func (e *event) notify() {
	if e.sleepers.Load() != 0 {
		e.wake()
	}
}

func (e *event) announce() *sleeper {
	e.mu.Lock()
	s := e.spare
	if s != nil {
		e.spare = s.next
	} else {
		s = &sleeper{wake: make(chan struct{}, 1)}
	}
	s.listed = true
	s.previous, s.next = e.last, nil
	if e.last != nil {
		e.last.next = s
	} else {
		e.first = s
	}
	e.last = s
	e.sleepers.Add(1)
	e.mu.Unlock()
	return s
}

// leave withdraws an announcement.
func (e *event) leave(s *sleeper) {
	e.mu.Lock()
	if s.listed {
		e.remove(s)
	} else {
		<-s.wake // does not block: wake() unlists and sends under the mutex
	}
	e.keep(s)
	e.mu.Unlock()
}

// keep puts s on the free list. It requires the mutex.
func (e *event) keep(s *sleeper) {
	s.next = e.spare
	e.spare = s
}

//go:noinline
func (e *event) wake() {
	e.mu.Lock()
	if s := e.first; s != nil {
		e.remove(s)
		s.wake <- struct{}{} // does not block: each announcement gets one wake-up
	}
	e.mu.Unlock()
}

// remove unlinks s from the list. It requires the mutex.
func (e *event) remove(s *sleeper) {
	if s.previous != nil {
		s.previous.next = s.next
	} else {
		e.first = s.next
	}
	if s.next != nil {
		s.next.previous = s.previous
	} else {
		e.last = s.previous
	}
	s.listed = false
	s.previous, s.next = nil, nil
	e.sleepers.Add(-1)
}
