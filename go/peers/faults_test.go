package peers_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
)

// Each of these queues has one fault, of the kinds that such queues have had in practice. The
// linearizability check must find every one of them. A yield holds the faulty window open, because
// the test cannot change the order of the processor's own stores.

// fault is a small Vyukov ring with one faulty step. All its fields are atomic, so that the race
// detector does not report it and only the check of histories can find the fault.
type fault struct {
	kind       string
	lied       atomic.Bool
	slots      [2]faultSlot
	tail, head atomic.Uint64 // tail includes the bit ended
}

const ended = 1 << 63

// attempts limits loops that a fault would make endless.
const attempts = 1000

type faultSlot struct {
	state atomic.Uint64
	item  atomic.Int64
}

func newFault(kind string) *fault { return &fault{kind: kind} }

func (q *fault) TryPush(item int) bool {
	for range attempts {
		tail := q.tail.Load()
		if tail&ended != 0 {
			if q.kind != "pushes after Close" {
				return false
			}
			tail = q.tail.And(ended-1) &^ ended
		}
		slot := &q.slots[tail%2]
		free := tail / 2 * 2
		if q.kind == "returns an index that it has taken" {
			tail = q.tail.Add(1) - 1
			runtime.Gosched()
			slot, free = &q.slots[tail%2], tail/2*2
			if slot.state.Load() != free {
				q.tail.Add(^uint64(0))
				return false
			}
			slot.item.Store(int64(item))
			slot.state.Store(free + 1)
			return true
		}
		if q.kind != "does not check for room" && slot.state.Load() < free {
			return false
		}
		if slot.state.Load() > free || !q.tail.CompareAndSwap(tail, tail+1) {
			continue
		}
		if q.kind == "publishes the slot before it is filled" {
			slot.state.Store(free + 1)
			runtime.Gosched()
			slot.item.Store(int64(item))
			return true
		}
		slot.item.Store(int64(item))
		slot.state.Store(free + 1)
		return true
	}
	return false
}

func (q *fault) TryPop() (int, bool) {
	for range attempts {
		head := q.head.Load()
		slot := &q.slots[head%2]
		filled := head/2*2 + 1
		switch q.kind {
		case "pops the newest":
			if second := &q.slots[(head+1)%2]; second.state.Load() == (head+1)/2*2+1 && slot.state.Load() == filled {
				first, later := slot.item.Load(), second.item.Load()
				slot.item.Store(later)
				second.item.Store(first)
			}
		case "sometimes reports empty by mistake":
			if head%2 == 1 && q.lied.CompareAndSwap(false, true) {
				return 0, false
			}
		}
		if slot.state.Load() < filled {
			return 0, false
		}
		if slot.state.Load() > filled {
			continue
		}
		if q.kind == "pops twice" {
			item := int(slot.item.Load())
			runtime.Gosched()
			if !q.head.CompareAndSwap(head, head+1) {
				return item, true
			}
			slot.state.Store(filled + 1)
			return item, true
		}
		if !q.head.CompareAndSwap(head, head+1) {
			continue
		}
		if q.kind == "frees the slot before it is read" {
			slot.state.Store(filled + 1)
			runtime.Gosched()
			return int(slot.item.Load()), true
		}
		item := int(slot.item.Load())
		slot.state.Store(filled + 1)
		return item, true
	}
	return 0, false
}

func (q *fault) Close() {
	if q.kind == "Close drops the remaining items" {
		for {
			if _, ok := q.TryPop(); !ok {
				break
			}
		}
	}
	q.tail.Or(ended)
}

func (q *fault) Drained() bool {
	if q.kind == "reports drained as soon as it is closed" {
		return q.tail.Load()&ended != 0
	}
	return q.tail.Load() == q.head.Load()|ended
}

func (q *fault) Cap() int { return len(q.slots) }

func TestFindsEachFault(t *testing.T) {
	for _, f := range []struct {
		kind                 string
		producers, consumers int
	}{
		{"returns an index that it has taken", 3, 1},
		{"does not check for room", 2, 1},
		{"publishes the slot before it is filled", 2, 1},
		{"pops the newest", 2, 1},
		{"sometimes reports empty by mistake", 1, 1},
		{"pops twice", 1, 3},
		{"frees the slot before it is read", 2, 2},
		{"Close drops the remaining items", 2, 1},
		{"reports drained as soon as it is closed", 2, 1},
		{"pushes after Close", 2, 1},
	} {
		t.Run(f.kind, func(t *testing.T) {
			c := contender{f.kind, f.producers, f.consumers, false, func(int) (popping, func() pushing, sizes) {
				q := newFault(f.kind)
				return q, func() pushing { return q }, sizes{2, 2}
			}, func(failed, other call) bool { return failed.by != other.by }}
			random := rand.New(rand.NewPCG(1, 2))
			for n := range 100_000 {
				history, size := record(c, 2, random, true)
				if !linear(exact(c, history), size) {
					t.Logf("found in history %d", n+1)
					return
				}
			}
			t.Error("not found in 100,000 histories")
		})
	}
}

// The same ring without a fault passes: the test above finds the faults and nothing else.
func TestFindsNothingWithoutAFault(t *testing.T) {
	c := contender{"none", 2, 2, false, func(int) (popping, func() pushing, sizes) {
		q := newFault("none")
		return q, func() pushing { return q }, sizes{2, 2}
	}, func(failed, other call) bool { return failed.by != other.by }}
	random := rand.New(rand.NewPCG(3, 4))
	for range rounds() {
		history, size := record(c, 2, random, true)
		if !linear(exact(c, history), size) {
			t.Fatalf("%+v", history)
		}
	}
}
