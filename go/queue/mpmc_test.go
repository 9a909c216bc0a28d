package queue

import (
	"context"
	"testing"
	"testing/synctest"
)

// A delayed push that has taken its index keeps several sleeping goroutines from items that are
// ready. Its single wake-up must serve all of them.
func TestDelayedPushServesAllSleepers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewMPMC[int](4)
		q.tail.Add(1) // takes index 0
		for i := 1; i < 4; i++ {
			if !q.TryPush(i) {
				t.Fatal("no room")
			}
		}
		popped := make(chan int, 4)
		for range 4 {
			go func() {
				item, err := q.Pop(context.Background())
				if err != nil {
					t.Error(err)
				}
				popped <- item
			}()
		}
		synctest.Wait()
		if len(popped) != 0 {
			t.Fatal("popped an item although an earlier one is not stored yet")
		}
		q.slots[0].item = 0
		q.slots[0].state.Store(1)
		q.items.notify()
		sum := 0
		for range 4 {
			sum += <-popped
		}
		if sum != 6 {
			t.Fatal(sum)
		}
	})
}

// The same when the ring is closed and that push stores the last item: one goroutine gets the item,
// and the wake-up for the end of the queue passes from one to the next.
func TestLastItemOfAClosedRingEndsAllWaits(t *testing.T) {
	for name, pop := range map[string]func(q *MPMC[int]) error{
		"Pop":      func(q *MPMC[int]) error { _, err := q.Pop(context.Background()); return err },
		"PopBatch": func(q *MPMC[int]) error { _, err := q.PopBatch(context.Background(), make([]int, 2)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := NewMPMC[int](4)
				q.tail.Add(1) // takes index 0
				results := make(chan error, 3)
				for range 3 {
					go func() { results <- pop(q) }()
				}
				synctest.Wait() // until the goroutines sleep
				q.Close()
				synctest.Wait() // until they sleep again, waiting for the item that is not stored yet
				if len(results) != 0 {
					t.Fatal("ErrClosed before the last item")
				}
				q.slots[0].state.Store(1)
				q.items.notify()
				synctest.Wait()
				if len(results) != 3 {
					t.Fatalf("%d of 3 were not woken", 3-len(results))
				}
				got := 0
				for range 3 {
					if err := <-results; err == nil {
						got++
					} else if err != ErrClosed {
						t.Error(err)
					}
				}
				if got != 1 {
					t.Fatalf("%d got the one item", got)
				}
			})
		})
	}
}

// The same with a delayed pop, for room.
func TestDelayedPopServesAllSleepers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewMPMC[int](4)
		for i := range 4 {
			q.TryPush(i)
		}
		q.head.Add(1) // takes index 0
		for i := 1; i < 4; i++ {
			if item, ok := q.TryPop(); !ok || item != i {
				t.Fatal(item, ok)
			}
		}
		pushed := make(chan error, 4)
		for i := range 4 {
			go func() { pushed <- q.Push(context.Background(), i) }()
		}
		synctest.Wait()
		if len(pushed) != 0 {
			t.Fatal("pushed to a slot that is not free yet")
		}
		q.slots[0].state.Store(2)
		q.room.notify()
		for range 4 {
			if err := <-pushed; err != nil {
				t.Fatal(err)
			}
		}
	})
}
