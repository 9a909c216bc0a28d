package queue

import "testing"

// Shows why a push must not take an index by fetch-and-add and return it when there is no room, as
// go-lock-free-ring did: two producers and a full ring of two slots are enough to lose an item and
// to stop the ring for good. The test tries every order of the steps of two pushes and two pops.

// steps is a ring whose push is split into two steps.
type steps interface {
	// begin is the first step; done means that the push has ended, and pushed whether it succeeded.
	begin() (index uint64, done, pushed bool)
	// end is the second step, for a push that is not done.
	end(index uint64, item int) (pushed bool)
	tryPush(item int) bool
	tryPop() (int, bool)
}

// mpscSteps is the MPSC itself.
type mpscSteps struct{ *MPSC[int] }

func (q mpscSteps) begin() (index uint64, done, pushed bool) {
	index, n := q.reserve(1)
	return index, n == 0, false
}

func (q mpscSteps) end(index uint64, item int) bool {
	q.fill(index, item)
	return true
}

func (q mpscSteps) tryPush(item int) bool { return q.TryPush(item) }
func (q mpscSteps) tryPop() (int, bool)   { return q.TryPop() }

// unclaimSteps is the faulty ring. One goroutine runs all steps, so plain variables suffice.
type unclaimSteps struct {
	slots      [2]unclaimSlot
	tail, head uint64
}

type unclaimSlot struct {
	state uint64 // the index for which it is free, or 1 + the index of its item
	item  int
}

func newUnclaimSteps() *unclaimSteps {
	q := &unclaimSteps{}
	q.slots[1].state = 1
	return q
}

func (q *unclaimSteps) begin() (index uint64, done, pushed bool) {
	q.tail++
	return q.tail - 1, false, false
}

func (q *unclaimSteps) end(index uint64, item int) bool {
	slot := &q.slots[index%2]
	if slot.state != index {
		q.tail-- // the fault: another producer may have taken the index after this one
		return false
	}
	slot.item = item
	slot.state = index + 1
	return true
}

func (q *unclaimSteps) tryPush(item int) bool {
	index, _, _ := q.begin()
	return q.end(index, item)
}

func (q *unclaimSteps) tryPop() (int, bool) {
	slot := &q.slots[q.head%2]
	if slot.state != q.head+1 {
		return 0, false
	}
	q.head++
	slot.state = q.head + 1
	return slot.item, true
}

// play runs the steps in the given order and returns what is wrong afterwards, or "". Each element
// of order is the goroutine that makes the next step: 0 and 1 push, 2 pops.
func play(q steps, order []int) (wrong string) {
	inside := 0
	for q.tryPush(100 + inside) {
		inside++
	}
	accepted, popped := inside, 0
	var index [2]uint64
	var step [2]int
	for _, who := range order {
		switch {
		case who == 2:
			if _, ok := q.tryPop(); ok {
				popped++
			}
		case step[who] == 0:
			taken, done, pushed := q.begin()
			index[who], step[who] = taken, 1
			if done {
				step[who] = 2
				if pushed {
					accepted++
				}
			}
		case step[who] == 1:
			if q.end(index[who], who) {
				accepted++
			}
			step[who] = 2
		}
	}
	for {
		if _, ok := q.tryPop(); !ok {
			break
		}
		popped++
	}
	if popped != accepted {
		return "items were lost"
	}
	for i := range 5 {
		if !q.tryPush(i) {
			return "the empty ring accepts no item"
		}
		if item, ok := q.tryPop(); !ok || item != i {
			return "an item cannot be reached"
		}
	}
	return ""
}

// orders calls f with every order of two steps each of the goroutines 0, 1 and 2.
func orders(f func(order []int)) {
	left := [3]int{2, 2, 2}
	order := make([]int, 0, 6)
	var next func()
	next = func() {
		if len(order) == cap(order) {
			f(order)
			return
		}
		for who := range left {
			if left[who] == 0 {
				continue
			}
			left[who]--
			order = append(order, who)
			next()
			order = order[:len(order)-1]
			left[who]++
		}
	}
	next()
}

func TestNoOrderOfStepsLosesAnItem(t *testing.T) {
	tried := 0
	orders(func(order []int) {
		tried++
		if wrong := play(mpscSteps{NewMPSC[int](2)}, order); wrong != "" {
			t.Errorf("order %v: %s", order, wrong)
		}
	})
	if tried != 90 {
		t.Fatalf("%d orders instead of 6! / 2!^3", tried)
	}
}

func TestReturningAnIndexLosesAnItem(t *testing.T) {
	wrongs := map[string]int{}
	orders(func(order []int) { wrongs[play(newUnclaimSteps(), order)]++ })
	if wrongs["items were lost"] == 0 {
		t.Errorf("the check does not find the loss: %v", wrongs)
	}
	// The order in which the fault was first described: both pushes begin, the first returns its
	// index, two pops, the second push ends.
	if wrong := play(newUnclaimSteps(), []int{0, 1, 0, 2, 2, 1}); wrong == "" {
		t.Error("the known order causes no error")
	}
}
