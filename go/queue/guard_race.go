//go:build race

package queue

import (
	"runtime"
	"sync/atomic"
)

// guard panics when two goroutines use one side of a queue at the same time, in builds with the
// race detector. Its own atomics are hidden from the detector, because the order that they create
// would hide unsynchronized accesses to the fields of the queue. The detector reports those itself,
// even if the calls do not overlap.
type guard struct {
	taken atomic.Bool
}

func (g *guard) enter(part string) {
	runtime.RaceDisable()
	entered := g.taken.CompareAndSwap(false, true)
	runtime.RaceEnable()
	if !entered {
		panic("queue: two goroutines act as the " + part + " at the same time")
	}
}

func (g *guard) leave() {
	runtime.RaceDisable()
	g.taken.Store(false)
	runtime.RaceEnable()
}
