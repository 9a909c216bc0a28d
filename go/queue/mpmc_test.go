package queue

import (
	"context"
	"testing"
	"testing/synctest"
)

// A push that has taken its index and is held up keeps several goroutines from items that are there.
// They sleep, and its one wake-up brings all of them their items.
func TestOnePushThatWasHeldUpServesAllWhoSleep(t *testing.T) {
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
			t.Fatal("popped what comes after an item that is not there yet")
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

// The same when the ring is closed and that push brings the last item: its one wake-up is for who gets
// it, and the others hear of the end from each other.
func TestTheLastItemEndsTheWaitOfAllWhoSleep(t *testing.T) {
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
				synctest.Wait() // until they sleep
				q.Close()
				synctest.Wait() // until they sleep again, over the item that is still to come
				if len(results) != 0 {
					t.Fatal("the end before the last item")
				}
				q.slots[0].state.Store(1)
				q.items.notify()
				synctest.Wait()
				if len(results) != 3 {
					t.Fatalf("%d of 3 sleep for ever", 3-len(results))
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

// The same with a pop that is held up, and room.
func TestOnePopThatWasHeldUpServesAllWhoSleep(t *testing.T) {
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
