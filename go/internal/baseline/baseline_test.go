package baseline

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestContextIsCanceledWhenDone(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	c := Context{ctx}
	if c.Canceled() {
		t.Fatal("canceled from the start")
	}
	stop()
	if !c.Canceled() {
		t.Fatal("not canceled")
	}
}

// pushPop is what channels and rings have in common.
type pushPop interface {
	TryPush(int) bool
	TryPop() (int, bool)
}

func TestQueuesPassItemsInOrderUpToTheirCapacity(t *testing.T) {
	for name, q := range map[string]pushPop{
		"Channel": make(Channel[int], 2), "SPSCFloor": NewSPSCFloor[int](2), "MPSCFloor": NewMPSCFloor[int](2),
	} {
		for round := range 5 {
			if !q.TryPush(round) || !q.TryPush(round+1) || q.TryPush(round+2) {
				t.Fatalf("%s does not hold exactly two items", name)
			}
			for want := round; want <= round+1; want++ {
				if got, ok := q.TryPop(); !ok || got != want {
					t.Fatalf("%s: popped %d, %v, want %d", name, got, ok, want)
				}
			}
			if got, ok := q.TryPop(); ok {
				t.Fatalf("%s: popped %d from an empty queue", name, got)
			}
		}
	}
}

func TestTickerTicksOncePerPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := Ticker{time.NewTicker(time.Second)}
		defer ticker.Stop()
		if ticker.Tick() {
			t.Fatal("early")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !ticker.Tick() || ticker.Tick() {
			t.Fatal("not exactly one tick")
		}
	})
}
