package baseline

import "sync/atomic"

// The rings below are floors: they do the least that a ring for their numbers of producers and
// consumers must do. They do not close, wake no sleeper, keep references to popped items, and do not
// notice misuse. What the queues of package queue take longer is the price of those promises.

const (
	cacheLine = 128
	floorLag  = 32
)

// SPSCFloor is Lamport's ring for one producer and one consumer with cached indices. A push publishes
// its index by an atomic store, which is one locked instruction on amd64. A pop does so only if its
// index is a multiple of floorLag, or if the next one finds the ring empty.
type SPSCFloor[T any] struct {
	slots []T // their number is a power of two
	_     [cacheLine]byte

	tail     uint64
	headSeen uint64
	tailWord atomic.Uint64
	_        [cacheLine]byte

	head     uint64
	tailSeen uint64
	headWord atomic.Uint64
	_        [cacheLine]byte
}

// NewSPSCFloor returns a ring of size items; size must be a power of two.
func NewSPSCFloor[T any](size int) *SPSCFloor[T] {
	return &SPSCFloor[T]{slots: make([]T, size)}
}

// TryPush tries to push item and reports whether it succeeded.
func (q *SPSCFloor[T]) TryPush(item T) bool {
	tail := q.tail
	if tail-q.headSeen == uint64(len(q.slots)) {
		q.headSeen = q.headWord.Load()
		if tail-q.headSeen == uint64(len(q.slots)) {
			return false
		}
	}
	q.slots[tail&uint64(len(q.slots)-1)] = item
	q.tail = tail + 1
	q.tailWord.Store(tail + 1)
	return true
}

// TryPop tries to pop an item. The ok result reports whether it succeeded.
func (q *SPSCFloor[T]) TryPop() (item T, ok bool) {
	head := q.head
	if head == q.tailSeen {
		q.tailSeen = q.tailWord.Load()
		if head == q.tailSeen {
			if q.headWord.Load() != head {
				q.headWord.Store(head)
			}
			return item, false
		}
	}
	item = q.slots[head&uint64(len(q.slots)-1)]
	q.head = head + 1
	if q.head%floorLag == 0 {
		q.headWord.Store(q.head)
	}
	return item, true
}

// MPSCFloor is a ring for many producers and one consumer. A push takes an index by one locked
// instruction and publishes its slot by another. Pops are published as those of an SPSCFloor.
type MPSCFloor[T any] struct {
	slots []floorSlot[T] // their number is a power of two
	_     [cacheLine]byte

	tail atomic.Uint64
	_    [cacheLine]byte

	headWord atomic.Uint64
	_        [cacheLine]byte

	head uint64
	_    [cacheLine]byte
}

type floorSlot[T any] struct {
	filled atomic.Uint64 // 1 + the index of the last item stored here
	item   T
}

// NewMPSCFloor returns a ring of size items; size must be a power of two.
func NewMPSCFloor[T any](size int) *MPSCFloor[T] {
	return &MPSCFloor[T]{slots: make([]floorSlot[T], size)}
}

// TryPush tries to push item and reports whether it succeeded.
func (q *MPSCFloor[T]) TryPush(item T) bool {
	for {
		tail := q.tail.Load()
		if int64(tail-q.headWord.Load()) >= int64(len(q.slots)) {
			return false
		}
		if q.tail.CompareAndSwap(tail, tail+1) {
			slot := &q.slots[tail&uint64(len(q.slots)-1)]
			slot.item = item
			slot.filled.Store(tail + 1)
			return true
		}
	}
}

// TryPop tries to pop an item. The ok result reports whether it succeeded.
func (q *MPSCFloor[T]) TryPop() (item T, ok bool) {
	slot := &q.slots[q.head&uint64(len(q.slots)-1)]
	if slot.filled.Load() != q.head+1 {
		if q.headWord.Load() != q.head {
			q.headWord.Store(q.head)
		}
		return item, false
	}
	item = slot.item
	q.head++
	if q.head%floorLag == 0 {
		q.headWord.Store(q.head)
	}
	return item, true
}
