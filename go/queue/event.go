package queue

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// event lets goroutines sleep until something may have changed. The zero value is ready.
//
// Who changes something does so by a sync/atomic write and calls notify() afterwards. Who waits
// announces itself and looks again before it sleeps. Go's atomics have one total order, so either
// notify() sees the announcement, or the second look sees the change: no wake-up is lost.
//
// A sleeper that leaves after it was chosen, because its context is done or its second look found
// something, hands its wake-up on.
type event struct {
	sleepers atomic.Int32 // length of the list; read by each notify()

	mu    sync.Mutex
	first *sleeper
	last  *sleeper
	spare *sleeper // linked by next
}

// sleeper is a goroutine that sleeps, or is about to. Guarded by the event's mutex. Each belongs to one
// event for good: a pool for all would carry channels into and out of the bubbles of testing/synctest,
// which forbids that.
type sleeper struct {
	wake           chan struct{} // holds one wake-up
	listed         bool
	previous, next *sleeper
}

// await returns when ready() is true, or may be since it was woken; or with the error of a context that
// was done before: who is woken by that looks once more, so that what is there goes first. The first
// `spins` turns of the caller's loop only yield.
func (e *event) await(ctx context.Context, turn int, ready func() bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if turn < spins {
		runtime.Gosched()
		return nil
	}
	yield()
	s := e.announce()
	yield()
	if ready() {
		e.leave(s)
		return nil
	}
	yield()
	select {
	case <-s.wake:
		e.mu.Lock()
		e.keep(s)
		e.mu.Unlock()
		return nil
	case <-ctx.Done():
		e.leave(s)
		return nil
	}
}

// notify wakes one sleeper, the first that came.
func (e *event) notify() {
	if e.sleepers.Load() != 0 {
		e.wake(1)
	}
}

// notifyAll wakes all.
func (e *event) notifyAll() {
	for e.sleepers.Load() != 0 {
		e.wake(int(e.sleepers.Load()))
	}
}

// awaited is whether somebody sleeps or is about to.
func (e *event) awaited() bool {
	return e.sleepers.Load() != 0
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

// leave takes back an announcement.
func (e *event) leave(s *sleeper) {
	e.mu.Lock()
	chosen := !s.listed
	if chosen {
		<-s.wake // is there: wake() unlists and sends under the lock
	} else {
		e.remove(s)
	}
	e.keep(s)
	e.mu.Unlock()
	if chosen {
		e.notify()
	}
}

// keep is for the next announcement. Needs the mutex.
func (e *event) keep(s *sleeper) {
	s.next = e.spare
	e.spare = s
}

//go:noinline
func (e *event) wake(n int) {
	e.mu.Lock()
	for ; n > 0 && e.first != nil; n-- {
		s := e.first
		e.remove(s)
		s.wake <- struct{}{} // has room: one wake-up for each announcement
	}
	e.mu.Unlock()
}

// remove takes it off the list. Needs the mutex.
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
