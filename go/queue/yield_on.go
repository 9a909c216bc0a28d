//go:build yields

package queue

import (
	"math/rand/v2"
	"runtime"
)

// yield stands between two steps that others can come between. In builds with the tag yields they do:
// about every other time it lets other goroutines run, so that short histories have orders that
// otherwise come once in a million.
func yield() {
	if rand.Uint32()&1 == 0 {
		runtime.Gosched()
	}
}

// spins is 0 here, so that waiting forms do sleep.
const spins = 0
