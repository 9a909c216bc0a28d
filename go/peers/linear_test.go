package peers_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fathom.dev/go/queue"
	"github.com/anishathalye/porcupine"
)

// Checks that the queues are linearizable: that all calls have one order, each call between its
// begin and its end, in which a plain list gives the same answers. The tests record many short
// histories of a few goroutines and small rings, and porcupine checks each. Builds with the tag
// yields have more overlapping calls: see queue/schedpoint_on.go.

type action int

const (
	push action = iota
	pop
	shut
	drained
)

// call is one operation of a goroutine, and its result.
type call struct {
	action   action
	lane     int // the producer's lane, where each producer has one
	item     int // pushed or popped
	answer   bool
	from, to int64 // logical times
	by       int
}

// state is the model: a plain list for each lane.
type state struct {
	lanes  [3][]int
	closed bool
}

// sizes are the number of items that fit into a lane: certainly, and at most.
type sizes struct{ capacity, limit int }

func (s state) with(lane int, items []int) state {
	s.lanes[lane] = items
	return s
}

// step reports whether the answer is right, and returns the state after the call.
func (s state) step(c call, size sizes) (bool, state) {
	items := s.lanes[c.lane]
	switch c.action {
	case push:
		if !c.answer {
			return s.closed || len(items) >= size.capacity, s
		}
		return !s.closed && len(items) < size.limit, s.with(c.lane, append(slices.Clone(items), c.item))
	case pop:
		if !c.answer {
			return s.empty(), s
		}
		if len(items) == 0 || items[0] != c.item {
			return false, s
		}
		return true, s.with(c.lane, items[1:])
	case shut:
		s.closed = true
		return true, s
	case drained:
		return !c.answer || s.closed && s.empty(), s
	}
	panic("no such action")
}

func (s state) empty() bool {
	return !slices.ContainsFunc(s.lanes[:], func(items []int) bool { return len(items) > 0 })
}

func (s state) same(other state) bool {
	if s.closed != other.closed {
		return false
	}
	for i := range s.lanes {
		if !slices.Equal(s.lanes[i], other.lanes[i]) {
			return false
		}
	}
	return true
}

func model(size sizes) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{} },
		Step: func(s, input, _ any) (bool, any) {
			return s.(state).step(input.(call), size)
		},
		Equal:             func(a, b any) bool { return a.(state).same(b.(state)) },
		DescribeOperation: func(input, _ any) string { return fmt.Sprintf("%+v", input) },
	}
}

// linear reports whether the history is linearizable.
func linear(history []call, size sizes) bool {
	operations := make([]porcupine.Operation, len(history))
	for i, c := range history {
		operations[i] = porcupine.Operation{ClientId: c.by, Input: c, Call: c.from, Return: c.to}
	}
	return porcupine.CheckOperations(model(size), operations)
}

// The recorder calls queues through these interfaces.
type pushing interface{ TryPush(int) bool }

type popping interface {
	TryPop() (int, bool)
	Close()
	Drained() bool
}

// contender is a queue, with the spurious failures that its contract permits.
type contender struct {
	name                 string
	producers, consumers int
	lanes                bool // each producer has a lane
	make                 func(capacity int) (popping, func() pushing, sizes)
	// mayFail reports whether a failed call may be spurious because another one overlapped it.
	mayFail func(failed, other call) bool
}

func never(call, call) bool { return false }

func both[Q interface {
	pushing
	popping
	Cap() int
}](make func(int) Q) func(int) (popping, func() pushing, sizes) {
	return func(capacity int) (popping, func() pushing, sizes) {
		q := make(capacity)
		return q, func() pushing { return q }, sizes{capacity, q.Cap()}
	}
}

var contenders = []contender{
	{"SPSC", 1, 1, false, both(queue.NewSPSC[int]), never},
	{"MPSC", 3, 1, false, both(queue.NewMPSC[int]), func(failed, other call) bool {
		return failed.action == pop && other.action == push
	}},
	{"Sharded", 3, 1, true, func(capacity int) (popping, func() pushing, sizes) {
		q := queue.NewSharded[int](capacity)
		return q, func() pushing { return q.NewProducer() }, sizes{capacity, queue.NewSPSC[int](capacity).Cap()}
	}, func(failed, other call) bool {
		return failed.action == push && other.action == shut // lanes close one after the other
	}},
	{"MPMC", 2, 2, false, both(queue.NewMPMC[int]), func(failed, other call) bool {
		return failed.by != other.by
	}},
}

const itemsOfProducer = 100

// record lets all goroutines do a few random operations at the same time, then empties the queue.
func record(c contender, capacity int, random *rand.Rand, withClose bool) ([]call, sizes) {
	q, join, size := c.make(capacity)
	var clock atomic.Int64
	goroutines := c.producers + c.consumers
	logs := make([][]call, goroutines+1)
	do := func(by int, what call, f func(*call)) {
		what.by = by
		what.from = clock.Add(1)
		f(&what)
		what.to = clock.Add(1)
		logs[by] = append(logs[by], what)
	}
	popOne := func(done *call) {
		done.item, done.answer = q.TryPop()
		if done.answer && c.lanes {
			done.lane = done.item / itemsOfProducer
		}
	}
	var ready atomic.Int64
	var running sync.WaitGroup
	closer := -1
	if withClose {
		closer = random.IntN(goroutines)
	}
	for by := range goroutines {
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		ops, closeAt := 3+own.IntN(4), own.IntN(4)
		lane := 0
		var mine pushing
		if by < c.producers {
			mine = join()
			if c.lanes {
				lane = by
			}
		}
		running.Go(func() {
			for ready.Add(1); ready.Load() < int64(goroutines); {
				runtime.Gosched()
			}
			for i := range ops {
				if own.IntN(3) == 0 {
					runtime.Gosched()
				}
				if by == closer && i == closeAt {
					do(by, call{action: shut}, func(*call) { q.Close() })
				}
				if mine != nil {
					do(by, call{action: push, lane: lane, item: by*itemsOfProducer + i}, func(done *call) {
						done.answer = mine.TryPush(done.item)
					})
					continue
				}
				do(by, call{action: pop}, popOne)
				if own.IntN(4) == 0 {
					do(by, call{action: drained}, func(done *call) { done.answer = q.Drained() })
				}
			}
		})
	}
	running.Wait()
	// The remaining items, popped one after the other.
	for {
		do(goroutines, call{action: pop}, popOne)
		if log := logs[goroutines]; !log[len(log)-1].answer {
			break
		}
	}
	return slices.Concat(logs...), size
}

// exact returns the history without the failed calls that the contract permits.
func exact(c contender, history []call) []call {
	return slices.DeleteFunc(slices.Clone(history), func(failed call) bool {
		if failed.answer || failed.action != push && failed.action != pop {
			return false
		}
		return slices.ContainsFunc(history, func(other call) bool {
			return other.by != failed.by && other.from < failed.to && failed.from < other.to && c.mayFail(failed, other)
		})
	})
}

func rounds() int {
	if testing.Short() {
		return 300
	}
	return 3000
}

func TestHistoriesAreLinearizable(t *testing.T) {
	for _, c := range contenders {
		for _, capacity := range []int{1, 2, 3} {
			for _, withClose := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/close=%v", c.name, capacity, withClose), func(t *testing.T) {
					random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
					overlapping := 0
					for range rounds() {
						history, size := record(c, capacity, random, withClose)
						if overlaps(history) {
							overlapping++
						}
						if !linear(exact(c, history), size) {
							slices.SortFunc(history, func(a, b call) int { return int(a.from - b.from) })
							for _, c := range history {
								t.Logf("%+v", c)
							}
							t.Fatal("these calls are not linearizable")
						}
					}
					t.Logf("%d of %d histories had overlapping calls", overlapping, rounds())
					if withYields && overlapping < rounds()/2 {
						t.Error("too few overlapping calls for a meaningful check")
					}
				})
			}
		}
	}
}

func overlaps(history []call) bool {
	return slices.ContainsFunc(history, func(a call) bool {
		return slices.ContainsFunc(history, func(b call) bool {
			return a.by != b.by && a.from < b.to && b.from < a.to
		})
	})
}
