package queue

import (
	"errors"
	"fmt"
	"math/bits"
)

// ErrClosed is the error of a push to a closed queue, and of a pop from one that is closed and empty.
var ErrClosed = errors.New("queue: closed")

// MaxCapacity is the most that a constructor can be asked for.
const MaxCapacity = 1 << 30

// cacheLine is the distance at which two variables stop slowing each other down: amd64 has lines of
// 64 bytes, but its prefetcher fetches them in aligned pairs; Apple's arm64 has lines of 128.
const cacheLine = 128

// pad keeps what is above it away from what is below, wherever the whole begins.
type pad [cacheLine]byte

// closedBit of an index word says that no push can succeed any more. Indices have the other 63 bits,
// which last for 292 years at a push each nanosecond.
const closedBit = 1 << 63

// mostLag is how many items a single consumer pops at most before it tells how far it is: at 32 the
// atomic store for that is lost in the pops' own time.
const mostLag = 32

// lag is how many items a single consumer pops before it tells how far it is: at most an eighth of
// the capacity, so that producers wait for little.
func lag(capacity int) uint64 {
	return uint64(max(1, min(capacity/8, mostLag)))
}

// checked is the capacity, if it is possible.
func checked(capacity int) int {
	if capacity < 1 || capacity > MaxCapacity {
		panic(fmt.Sprintf("queue: the capacity must be from 1 to %d, not %d", MaxCapacity, capacity))
	}
	return capacity
}

// powerOfTwo is the smallest one that is not below n, which is at least 1.
func powerOfTwo(n uint64) uint64 {
	return 1 << bits.Len64(n-1)
}
