package queue

import (
	"errors"
	"fmt"
	"math/bits"
)

// ErrClosed is returned by a push to a closed queue, and by a pop from a queue that is closed and
// empty.
var ErrClosed = errors.New("queue: closed")

// MaxCapacity is the largest capacity that a constructor accepts. On 32-bit systems, the address
// space limits it further: a constructor panics if it cannot allocate the slots.
const MaxCapacity = 1 << 30

// cacheLine is the distance in bytes at which two variables no longer slow each other down: amd64
// has lines of 64 bytes, but its prefetcher fetches them in aligned pairs; Apple's arm64 has lines
// of 128.
const cacheLine = 128

// pad keeps the fields before it and after it on different cache lines, whatever the alignment of
// the struct.
type pad [cacheLine]byte

// closedBit in an index word means that no push can succeed anymore. The other 63 bits hold the
// index, which overflows after 292 years at one push per nanosecond.
const closedBit = 1 << 63

// mostLag is the maximum number of pops that a single consumer makes before it publishes its
// position. With 32, the cost of that atomic store is negligible.
const mostLag = 32

// lag returns the number of pops that a single consumer makes before it publishes its position: at
// most an eighth of the capacity, so that producers do not wait for long.
func lag(capacity int) uint64 {
	return uint64(max(1, min(capacity/8, mostLag)))
}

// checked returns the capacity, or panics if it is out of range.
func checked(capacity int) int {
	if capacity < 1 || capacity > MaxCapacity {
		panic(fmt.Sprintf("queue: the capacity must be from 1 to %d, not %d", MaxCapacity, capacity))
	}
	return capacity
}

// powerOfTwo returns the smallest power of two that is not less than n, which must be at least 1.
func powerOfTwo(n uint64) uint64 {
	return 1 << bits.Len64(n-1)
}
