//go:build yields

package queue

import (
	"math/rand/v2"
	"runtime"
)

// schedPoint marks a scheduling point for tests: a place between two steps of a call at which a step
// of another goroutine changes what can happen. It is part of the code of the queues because only
// they know where their steps are. Without the tag yields it is an empty function, which the
// compiler removes. With it, schedPoint lets other goroutines run about every other time, so that
// short histories contain orders that otherwise occur once in a million calls; the tests of
// linearizability in go/peers depend on that.
func schedPoint() {
	if rand.Uint32()&1 == 0 {
		runtime.Gosched()
	}
}

// spins is 0 in this build, so that the waiting methods do sleep.
const spins = 0
