package peers_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
)

// Queues with a fault each, of the kinds that such queues have had. The check of histories must find
// every one of them, or it is none. Windows are held open by a yield, as the order of the machine's own
// stores cannot be changed here.

// fault is a small Vyukov ring whose steps a fault can change. Its fields are all atomic, so that the race detector has nothing to say and the check alone must find it.
type fault struct {
	kind       string
	lied       atomic.Bool
	slots      [2]faultSlot
	tail, head atomic.Uint64 // the tail with ended
}

const ended = 1 << 63

// attempts end a loop that a fault has made endless.
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
			if q.kind != "pushes after the end" {
				return false
			}
			tail = q.tail.And(ended-1) &^ ended
		}
		slot := &q.slots[tail%2]
		free := tail / 2 * 2
		if q.kind == "gives its index back" {
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
		if q.kind != "does not look for room" && slot.state.Load() < free {
			return false
		}
		if slot.state.Load() > free || !q.tail.CompareAndSwap(tail, tail+1) {
			continue
		}
		if q.kind == "shows the slot before it is filled" {
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
		case "says that it is empty now and then":
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
	if q.kind == "drops what is left at the end" {
		for {
			if _, ok := q.TryPop(); !ok {
				break
			}
		}
	}
	q.tail.Or(ended)
}

func (q *fault) Drained() bool {
	if q.kind == "says that it is drained when closed" {
		return q.tail.Load()&ended != 0
	}
	return q.tail.Load() == q.head.Load()|ended
}

func (q *fault) Cap() int { return len(q.slots) }

func TestEachFaultIsFound(t *testing.T) {
	for _, f := range []struct {
		kind                 string
		producers, consumers int
	}{
		{"gives its index back", 3, 1},
		{"does not look for room", 2, 1},
		{"shows the slot before it is filled", 2, 1},
		{"pops the newest", 2, 1},
		{"says that it is empty now and then", 1, 1},
		{"pops twice", 1, 3},
		{"frees the slot before it is read", 2, 2},
		{"drops what is left at the end", 2, 1},
		{"says that it is drained when closed", 2, 1},
		{"pushes after the end", 2, 1},
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

// Without a fault the same ring passes, so that it is the faults that are found.
func TestWithoutAFaultNothingIsFound(t *testing.T) {
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
