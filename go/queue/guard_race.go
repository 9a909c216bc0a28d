//go:build race

package queue

import (
	"runtime"
	"sync/atomic"
)

// guard panics when two goroutines are in a part that belongs to one at a time, in builds with the
// race detector. Its own atomics are hidden from the detector, as the order that they make would
// hide unordered accesses to the queue's fields: those the detector reports itself, so that also
// calls that do not overlap are caught.
type guard struct {
	taken atomic.Bool
}

func (g *guard) enter(part string) {
	runtime.RaceDisable()
	entered := g.taken.CompareAndSwap(false, true)
	runtime.RaceEnable()
	if !entered {
		panic("queue: two goroutines are the " + part + " at the same time")
	}
}

func (g *guard) leave() {
	runtime.RaceDisable()
	g.taken.Store(false)
	runtime.RaceEnable()
}
