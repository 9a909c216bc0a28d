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
