package queue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"fathom.dev/go/queue"
)

// producer and consumer are the two sides of a queue as goroutines use them.
type producer interface {
	TryPush(int) bool
	TryPushBatch([]int) int
	Push(context.Context, int) error
	PushBatch(context.Context, []int) (int, error)
}

type consumer interface {
	TryPop() (int, bool)
	TryPopBatch([]int) int
	Pop(context.Context) (int, error)
	PopBatch(context.Context, []int) (int, error)
	Close()
	Closed() bool
	Drained() bool
	Len() int
	Cap() int
}

// whole combines both sides for one goroutine; a Sharded then has one lane.
type whole struct {
	consumer
	producer
}

type kind struct {
	name                 string
	manyPush, manyPop    bool
	fifoBetweenProducers bool
	// make returns the consumer's side, and a function that returns a producer's side.
	make func(capacity int) (consumer, func() producer)
}

func same[Q interface {
	consumer
	producer
}](make func(int) Q) func(int) (consumer, func() producer) {
	return func(capacity int) (consumer, func() producer) {
		q := make(capacity)
		return q, func() producer { return q }
	}
}

var kinds = []kind{
	{"SPSC", false, false, true, same(queue.NewSPSC[int])},
	{"MPSC", true, false, true, same(queue.NewMPSC[int])},
	{"Sharded", true, false, false, func(capacity int) (consumer, func() producer) {
		q := queue.NewSharded[int](capacity)
		return q, func() producer { return q.NewProducer() }
	}},
	{"MPMC", true, true, true, same(queue.NewMPMC[int])},
}

func (k kind) whole(capacity int) whole {
	c, p := k.make(capacity)
	return whole{c, p()}
}

func forAll(t *testing.T, test func(t *testing.T, k kind)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { test(t, k) })
	}
}

var capacities = []int{1, 2, 3, 4, 5, 8, 15, 16, 31, 64, 100, 1024}

func TestHoldsItsCapacityAndAtMostCap(t *testing.T) {
	forAll(t, func(t *testing.T, k kind) {
		for _, capacity := range capacities {
			q := k.whole(capacity)
			// Several rounds, so that batches wrap around the end of the slots at every offset.
			rounds := 3*capacity + 3
			if queue.UnderRaceDetector {
				rounds = min(rounds, 100) // one goroutine: no race depends on the offset
			}
			for round := range rounds {
				for i := range capacity {
					if !q.TryPush(round + i) {
						t.Fatalf("capacity %d: item %d does not fit", capacity, i)
					}
				}
				n := capacity
				for q.TryPush(round + n) {
					n++
				}
				if n > q.Cap() || q.Len() < n || q.Len() > q.Cap() {
					t.Fatalf("capacity %d: holds %d, Cap %d, Len %d", capacity, n, q.Cap(), q.Len())
				}
				for i := range n {
					if got, ok := q.TryPop(); !ok || got != round+i {
						t.Fatalf("popped %d, %v, want %d", got, ok, round+i)
					}
				}
				if got, ok := q.TryPop(); ok {
					t.Fatalf("popped %d from an empty queue", got)
				}
				if q.Len() != 0 {
					t.Fatalf("empty, but Len is %d", q.Len())
				}
				q.TryPush(0)
				q.TryPop()
			}
		}
	})
}

// A full ring accepts one item for each popped item: it does not hold back room.
func TestFullQueueAcceptsOneItemPerPop(t *testing.T) {
	forAll(t, func(t *testing.T, k kind) {
		for _, capacity := range capacities {
			q := k.whole(capacity)
			for i := range capacity {
				q.TryPush(i)
			}
			for i := range 5 * capacity {
				if got, ok := q.TryPop(); !ok || got != i {
					t.Fatalf("popped %d, %v, want %d", got, ok, i)
				}
				if !q.TryPush(capacity + i) {
					t.Fatalf("capacity %d: no room after %d pops", capacity, i+1)
				}
			}
		}
	})
}

func TestBatchesEqualSingleCalls(t *testing.T) {
	forAll(t, func(t *testing.T, k kind) {
		for _, capacity := range capacities {
			q := k.whole(capacity)
			next, expected := 0, 0
			for size := range 2*capacity + 2 {
				items := make([]int, size)
				for i := range items {
					items[i] = next + i
				}
				pushed := q.TryPushBatch(items)
				if free := q.Cap() - (next - expected); pushed > free || pushed < min(size, capacity-(next-expected)) {
					t.Fatalf("capacity %d: %d of %d pushed", capacity, pushed, size)
				}
				next += pushed
				popped := make([]int, size/2+1)
				n := q.TryPopBatch(popped)
				if n != min(len(popped), next-expected) {
					t.Fatalf("capacity %d: %d of %d popped into %d", capacity, n, next-expected, len(popped))
				}
				for _, item := range popped[:n] {
					if item != expected {
						t.Fatalf("popped %d, want %d", item, expected)
					}
					expected++
				}
			}
		}
	})
}

func TestInvalidCapacitiesPanic(t *testing.T) {
	forAll(t, func(t *testing.T, k kind) {
		for _, capacity := range []int{0, -1, queue.MaxCapacity + 1} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%d: no panic", capacity)
					}
				}()
				k.make(capacity)
			}()
		}
	})
}

func TestCloseKeepsPushedItems(t *testing.T) {
	ctx := context.Background()
	forAll(t, func(t *testing.T, k kind) {
		q := k.whole(4)
		for i := range 3 {
			q.TryPush(i)
		}
		if q.Closed() || q.Drained() {
			t.Fatal("closed before Close")
		}
		q.Close()
		q.Close()
		if !q.Closed() || q.Drained() {
			t.Fatalf("Closed %v, Drained %v with three items", q.Closed(), q.Drained())
		}
		if q.TryPush(9) || q.TryPushBatch([]int{9}) != 0 {
			t.Fatal("pushed after Close")
		}
		if err := q.Push(ctx, 9); !errors.Is(err, queue.ErrClosed) {
			t.Fatalf("Push after Close: %v", err)
		}
		if n, err := q.PushBatch(ctx, []int{9}); n != 0 || !errors.Is(err, queue.ErrClosed) {
			t.Fatalf("PushBatch after Close: %d, %v", n, err)
		}
		if got, err := q.Pop(ctx); got != 0 || err != nil {
			t.Fatalf("Pop: %d, %v", got, err)
		}
		items := make([]int, 8)
		if n, err := q.PopBatch(ctx, items); n != 2 || err != nil || items[0] != 1 || items[1] != 2 {
			t.Fatalf("PopBatch: %v, %v", items[:n], err)
		}
		if _, err := q.Pop(ctx); !errors.Is(err, queue.ErrClosed) {
			t.Fatalf("Pop at the end: %v", err)
		}
		if n, err := q.PopBatch(ctx, items); n != 0 || !errors.Is(err, queue.ErrClosed) {
			t.Fatalf("PopBatch at the end: %d, %v", n, err)
		}
		if _, ok := q.TryPop(); ok || !q.Drained() {
			t.Fatal("not drained at the end")
		}
	})
}

func TestPushAndPopWaitAndAreWoken(t *testing.T) {
	forAll(t, func(t *testing.T, k kind) {
		synctest.Test(t, func(t *testing.T) {
			q := k.whole(1)
			ctx := context.Background()
			popped := make(chan int, 1)
			pop := func() {
				item, err := q.Pop(ctx)
				if err != nil {
					t.Error(err)
				}
				popped <- item
			}
			go pop()
			synctest.Wait() // until the goroutine sleeps
			select {
			case item := <-popped:
				t.Fatalf("popped %d from an empty queue", item)
			default:
			}
			q.TryPush(1)
			if item := <-popped; item != 1 {
				t.Fatalf("popped %d", item)
			}

			for q.TryPush(2) {
			}
			pushed := make(chan error, 1)
			go func() { pushed <- q.Push(ctx, 3) }()
			synctest.Wait()
			select {
			case <-pushed:
				t.Fatal("pushed to a full queue")
			default:
			}
			if item, ok := q.TryPop(); !ok || item != 2 {
				t.Fatalf("popped %d, %v", item, ok)
			}
			if err := <-pushed; err != nil {
				t.Fatal(err)
			}
		})
	})
}

func TestContextEndsWaits(t *testing.T) {
	forAll(t, func(t *testing.T, k kind) {
		synctest.Test(t, func(t *testing.T) {
			q := k.whole(1)
			ctx, cancel := context.WithCancel(context.Background())
			results := make(chan error)
			go func() { _, err := q.Pop(ctx); results <- err }()
			synctest.Wait()
			cancel()
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Fatalf("Pop: %v", err)
			}
			if _, err := q.PopBatch(ctx, make([]int, 1)); !errors.Is(err, context.Canceled) {
				t.Fatalf("PopBatch: %v", err)
			}
			if err := q.Push(ctx, 1); err != nil {
				t.Fatalf("free room must take precedence over a done context: %v", err)
			}
			for q.TryPush(1) {
			}
			ctx, cancel = context.WithCancel(context.Background())
			go func() { results <- q.Push(ctx, 2) }()
			synctest.Wait()
			cancel()
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Fatalf("Push: %v", err)
			}
			if n, err := q.PushBatch(ctx, []int{2, 2}); n != 0 || !errors.Is(err, context.Canceled) {
				t.Fatalf("PushBatch: %d, %v", n, err)
			}
			if item, err := q.Pop(ctx); item != 1 || err != nil {
				t.Fatalf("an item must take precedence over a done context: %d, %v", item, err)
			}
		})
	})
}

// A context wakes a sleeping goroutine; before the goroutine runs, the item or room that it waits
// for becomes available. That takes precedence over the context. The test needs this order at least
// once in 100 attempts; one processor makes the opposite order rare.
func TestAvailableItemsAndRoomTakePrecedenceOverTheContext(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	forAll(t, func(t *testing.T, k kind) {
		synctest.Test(t, func(t *testing.T) {
			popped, pushed := 0, 0
			for range 100 {
				q := k.whole(1)
				results := make(chan error)
				ctx, cancel := context.WithCancel(context.Background())
				go func() { _, err := q.Pop(ctx); results <- err }()
				synctest.Wait() // until the goroutine sleeps
				cancel()
				q.TryPush(1)
				if <-results == nil {
					popped++
				}
				for q.TryPush(1) {
				}
				ctx, cancel = context.WithCancel(context.Background())
				go func() { results <- q.Push(ctx, 2) }()
				synctest.Wait()
				cancel()
				q.TryPop()
				if <-results == nil {
					pushed++
				}
			}
			if popped == 0 || pushed == 0 {
				t.Fatalf("of 100 each, %d popped the available item, %d pushed into the free room", popped, pushed)
			}
		})
	})
}

func TestCloseEndsWaits(t *testing.T) {
	forAll(t, func(t *testing.T, k kind) {
		synctest.Test(t, func(t *testing.T) {
			poppers, pushers := 1, 1
			if k.manyPop {
				poppers = 3
			}
			if k.manyPush && k.fifoBetweenProducers {
				pushers = 3
			}
			ctx := context.Background()
			results := make(chan error)
			q := k.whole(1)
			for range poppers {
				go func() { _, err := q.Pop(ctx); results <- err }()
			}
			synctest.Wait()
			q.Close()
			for range poppers {
				if err := <-results; !errors.Is(err, queue.ErrClosed) {
					t.Fatalf("Pop: %v", err)
				}
			}
			q = k.whole(1)
			for q.TryPush(1) {
			}
			for range pushers {
				go func() { results <- q.Push(ctx, 2) }()
			}
			synctest.Wait()
			q.Close()
			for range pushers {
				if err := <-results; !errors.Is(err, queue.ErrClosed) {
					t.Fatalf("Push: %v", err)
				}
			}
		})
	})
}

// If the goroutine chosen for a wake-up leaves, the wake-up passes to another sleeper.
func TestUnusedWakeUpIsPassedOn(t *testing.T) {
	for _, k := range kinds {
		if !k.manyPop {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := k.whole(4)
				first, cancel := context.WithCancel(context.Background())
				results := make(chan int, 2)
				pop := func(ctx context.Context) {
					if item, err := q.Pop(ctx); err == nil {
						results <- item
					}
				}
				go pop(first)
				synctest.Wait()
				go pop(context.Background())
				synctest.Wait()
				cancel() // the next push happens before the first goroutine can leave
				q.TryPush(1)
				if item := <-results; item != 1 {
					t.Fatalf("popped %d", item)
				}
				q.TryPush(2) // for the second goroutine, in case the first popped 1
				q.Close()
			})
		})
	}
}

// stress passes items through a queue. It checks that each item comes out exactly once and that
// each consumer sees the items of each producer in order.
func stress(t *testing.T, k kind, capacity, producers, consumers, each int, mode string) {
	q, join := k.make(capacity)
	ctx := context.Background()
	var pushing, popping sync.WaitGroup
	for p := range producers {
		mine := join()
		pushing.Go(func() {
			switch mode {
			case "try":
				for i := range each {
					for !mine.TryPush(p*each + i) {
						runtime.Gosched()
					}
				}
			case "wait":
				for i := range each {
					if err := mine.Push(ctx, p*each+i); err != nil {
						t.Error(err)
					}
				}
			case "batch":
				for i := 0; i < each; {
					items := make([]int, min(1+i%7, each-i))
					for j := range items {
						items[j] = p*each + i + j
					}
					if n, err := mine.PushBatch(ctx, items); n != len(items) || err != nil {
						t.Error(n, err)
					}
					i += len(items)
				}
			}
		})
	}
	seen := make([]atomic.Int32, producers*each)
	for range consumers {
		popping.Go(func() {
			last := make([]int, producers)
			take := func(item int) {
				seen[item].Add(1)
				if p := item / each; item%each+1 <= last[p] {
					t.Errorf("producer %d: %d after %d", p, item%each, last[p]-1)
				} else {
					last[p] = item%each + 1
				}
			}
			items := make([]int, 5)
			for {
				if n := q.Len(); n < 0 || n > q.Cap() {
					t.Errorf("Len %d, Cap %d", n, q.Cap())
				}
				switch mode {
				case "try":
					if item, ok := q.TryPop(); ok {
						take(item)
					} else if q.Drained() {
						return
					} else {
						runtime.Gosched()
					}
				case "wait":
					item, err := q.Pop(ctx)
					if err != nil {
						return
					}
					take(item)
				case "batch":
					n, err := q.PopBatch(ctx, items)
					if err != nil {
						return
					}
					for _, item := range items[:n] {
						take(item)
					}
				}
			}
		})
	}
	pushing.Wait()
	q.Close()
	popping.Wait()
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Fatalf("item %d of producer %d came out %d times", i%each, i/each, n)
		}
	}
}

func TestEachItemComesOutExactlyOnce(t *testing.T) {
	each := 20000
	if testing.Short() {
		each = 2000
	}
	forAll(t, func(t *testing.T, k kind) {
		for _, capacity := range []int{1, 2, 3, 16, 64} {
			for _, mode := range []string{"try", "wait", "batch"} {
				producers, consumers := 1, 1
				if k.manyPush {
					producers = 4
				}
				if k.manyPop {
					consumers = 3
				}
				t.Run(fmt.Sprintf("%d/%s", capacity, mode), func(t *testing.T) {
					stress(t, k, capacity, producers, consumers, each/producers, mode)
				})
			}
		}
	})
}

// When Close overlaps pushes, exactly the items whose push succeeded come out.
func TestCloseDuringPushesIsExact(t *testing.T) {
	rounds := 20_000
	if testing.Short() {
		rounds = 5000
	}
	forAll(t, func(t *testing.T, k kind) {
		ctx := context.Background()
		for range rounds {
			q, join := k.make(4)
			producers := 1
			if k.manyPush {
				producers = 2
			}
			var pushed, popped atomic.Int64
			var running sync.WaitGroup
			start := make(chan struct{})
			for range producers {
				mine := join()
				running.Go(func() {
					<-start
					for mine.Push(ctx, 1) == nil {
						pushed.Add(1)
					}
				})
			}
			consumers := 1
			if k.manyPop {
				consumers = 6 // so that most of them sleep when the queue is closed
			}
			for range consumers {
				running.Go(func() {
					<-start
					for {
						if _, err := q.Pop(ctx); err != nil {
							return
						}
						if popped.Add(1) == 8 {
							running.Go(q.Close)
							if queue.UnderRaceDetector {
								runtime.Gosched() // to Close; otherwise this goroutine uses up its time slice
							}
						}
					}
				})
			}
			close(start)
			running.Wait()
			if pushed.Load() != popped.Load() {
				t.Fatalf("%d pushed, %d popped", pushed.Load(), popped.Load())
			}
		}
	})
}

// Close happens while a goroutine goes to sleep, at any step of that.
func TestCloseWakesGoroutinesAboutToSleep(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 500
	}
	ctx := context.Background()
	forAll(t, func(t *testing.T, k kind) {
		for range rounds {
			empty, full := k.whole(1), k.whole(1)
			for full.TryPush(0) {
			}
			var waiting sync.WaitGroup
			waiting.Go(func() {
				if _, err := empty.Pop(ctx); !errors.Is(err, queue.ErrClosed) {
					t.Error(err)
				}
			})
			waiting.Go(func() {
				if err := full.Push(ctx, 1); !errors.Is(err, queue.ErrClosed) {
					t.Error(err)
				}
			})
			waiting.Go(empty.Close)
			waiting.Go(full.Close)
			waiting.Wait() // hangs if a wake-up was lost
		}
	})
}

func TestPoppedItemsAreNotReferenced(t *testing.T) {
	type queueOfPointers interface {
		TryPush(*int) bool
		TryPop() (*int, bool)
	}
	sharded := queue.NewSharded[*int](4)
	lane := sharded.NewProducer()
	for name, q := range map[string]queueOfPointers{
		"SPSC": queue.NewSPSC[*int](4),
		"MPSC": queue.NewMPSC[*int](4), "MPMC": queue.NewMPMC[*int](4),
		"Sharded": struct {
			*queue.Sharded[*int]
			*queue.Producer[*int]
		}{sharded, lane},
	} {
		collected := make(chan struct{})
		func() {
			item := new([1 << 20]int)
			runtime.AddCleanup(item, func(struct{}) { close(collected) }, struct{}{})
			q.TryPush(&item[0])
			if got, ok := q.TryPop(); !ok || got != &item[0] {
				t.Fatal("popped a different item")
			}
		}()
		for range 10 {
			runtime.GC()
		}
		<-collected // times out if the queue still refers to the item
		runtime.KeepAlive(q)
		_ = name
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	ctx := context.Background()
	forAll(t, func(t *testing.T, k kind) {
		q := k.whole(64)
		items := []int{1, 2, 3, 4}
		for name, f := range map[string]func(){
			"try":   func() { q.TryPush(1); q.TryPop() },
			"batch": func() { q.TryPushBatch(items); q.TryPopBatch(items) },
			"wait":  func() { q.Push(ctx, 1); q.Pop(ctx) },
			"waitBatch": func() {
				q.PushBatch(ctx, items)
				q.PopBatch(ctx, items)
			},
			"full": func() {
				for q.TryPush(1) {
				}
				for _, ok := q.TryPop(); ok; _, ok = q.TryPop() {
				}
			},
			"state": func() { q.Len(); q.Closed(); q.Drained() },
		} {
			if n := testing.AllocsPerRun(100, f); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}

func TestRepeatedSleepsDoNotAllocate(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			q, join := k.make(1)
			p := join()
			ctx := context.Background()
			toHere := k.whole(1)
			go func() {
				for {
					item, err := q.Pop(ctx)
					if err != nil {
						return
					}
					toHere.Push(ctx, item)
				}
			}()
			n := testing.AllocsPerRun(1000, func() {
				p.Push(ctx, 1)
				toHere.Pop(ctx)
			})
			q.Close()
			if n != 0 {
				t.Errorf("%v allocations per round trip", n)
			}
		})
	}
}

func TestStagedItemsAreVisibleAfterFlush(t *testing.T) {
	q := queue.NewSPSC[int](16)
	for i := range 10 {
		if !q.Stage(i) {
			t.Fatal("no room")
		}
	}
	if item, ok := q.TryPop(); ok {
		t.Fatalf("popped %d, which was staged but not flushed", item)
	}
	if !q.Flush() {
		t.Fatal("Flush failed")
	}
	q.Stage(10)
	q.TryPush(11) // publishes both
	var got []int
	for item, ok := q.TryPop(); ok; item, ok = q.TryPop() {
		got = append(got, item)
	}
	if !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Fatal(got)
	}
	n := 0
	for q.Stage(n) {
		n++
	}
	if n != q.Cap() {
		t.Fatalf("%d staged of %d", n, q.Cap())
	}
	if q.Len() != n {
		t.Fatal("a Stage that found the ring full did not publish the staged items")
	}
	for range n {
		q.TryPop()
	}
	q.Stage(1)
	q.Close()
	if q.Flush() {
		t.Fatal("Flush succeeded after Close")
	}
	if _, ok := q.TryPop(); ok || !q.Drained() {
		t.Fatal("an item that was staged at Close came out")
	}
}

// When Close drops the staged items of a full ring, Flush reports it, and the ring accepts no more
// items.
func TestFlushReportsItemsDroppedByClose(t *testing.T) {
	q := queue.NewSPSC[int](4)
	for i := range q.Cap() {
		q.Stage(i)
	}
	q.Close()
	if q.Stage(9) {
		t.Fatal("staged more than Cap")
	}
	for range 2 {
		if q.Flush() {
			t.Fatal("Flush does not report the dropped items")
		}
		if q.Stage(9) || q.TryPush(9) || q.TryPushBatch([]int{9}) != 0 {
			t.Fatal("a ring known to be closed accepted an item")
		}
	}
	if item, ok := q.TryPop(); ok || q.Len() != 0 || !q.Drained() {
		t.Fatalf("popped %d, which was staged but not flushed; Len %d", item, q.Len())
	}
}

// A producer's own Close publishes its staged items; the queue's Close drops them.
func TestProducerClosePublishesStagedItems(t *testing.T) {
	q := queue.NewSharded[int](4)
	ends, goesOn := q.NewProducer(), q.NewProducer()
	ends.Stage(1)
	ends.Close()
	goesOn.Stage(2)
	q.Close()
	if goesOn.Flush() {
		t.Fatal("Flush succeeded after the queue's Close")
	}
	if item, err := q.Pop(context.Background()); item != 1 || err != nil {
		t.Fatal(item, err)
	}
	if item, err := q.Pop(context.Background()); !errors.Is(err, queue.ErrClosed) {
		t.Fatal(item, err)
	}
}

func TestPeekDoesNotPop(t *testing.T) {
	q := queue.NewSPSC[int](4)
	if len(q.Peek(3)) != 0 {
		t.Fatal("Peek returned items of an empty ring")
	}
	for i := range 200 {
		q.TryPushBatch([]int{i, i + 1, i + 2})
		seen := 0
		for seen < 3 {
			view := q.Peek(3 - seen)
			if len(view) == 0 {
				t.Fatal("Peek returned nothing although there are items")
			}
			for _, item := range view {
				if item != i+seen {
					t.Fatalf("got %d, want %d", item, i+seen)
				}
				seen++
			}
			q.Discard(len(view))
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Discard of items that Peek has not returned did not panic")
		}
	}()
	q.Discard(1)
}

func TestShardedDropsClosedEmptyLanes(t *testing.T) {
	q := queue.NewSharded[int](4)
	stays := q.NewProducer()
	for i := range 100 {
		p := q.NewProducer()
		p.TryPush(i)
		p.Close()
		if p.TryPush(0) || !p.Closed() {
			t.Fatal("pushed into a closed lane")
		}
		if item, err := q.Pop(context.Background()); item != i || err != nil {
			t.Fatal(item, err)
		}
		q.TryPop()
	}
	if lane := stays.TryPush(1); !lane || q.Len() != 1 {
		t.Fatal("the remaining lane does not work")
	}
	one := queue.NewSharded[int](4)
	one.NewProducer()
	if q.Cap() != one.Cap() {
		t.Fatalf("Cap is %d for one lane", q.Cap())
	}
	q.Close()
	if late := q.NewProducer(); late.TryPush(1) {
		t.Fatal("a lane created after Close accepted an item")
	}
}

// A busy lane does not monopolize the consumer.
func TestShardedServesAllLanes(t *testing.T) {
	q := queue.NewSharded[int](8)
	busy, quiet := q.NewProducer(), q.NewProducer()
	for busy.TryPush(0) {
	}
	quiet.TryPush(1)
	for pops := 1; ; pops++ {
		item, ok := q.TryPop()
		if !ok || pops > 2*8+1 {
			t.Fatalf("not served in %d pops", pops)
		}
		if item == 1 {
			return
		}
		busy.TryPush(0)
	}
}
