//go:build yields

package queue

import (
	"math/rand/v2"
	"runtime"
)

// yield marks a point between two steps at which other goroutines can interfere. In builds with the
// tag yields it lets them run about every other time, so that short histories contain orders that
// otherwise occur once in a million.
func yield() {
	if rand.Uint32()&1 == 0 {
		runtime.Gosched()
	}
}

// spins is 0 in this build, so that the waiting methods do sleep.
const spins = 0
