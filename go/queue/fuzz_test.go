package queue_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"fathom.dev/go/queue"
)

// FuzzQueues applies the operations that the bytes encode to each queue and to a plain list; both
// must give the same results. Every test run includes the corpus in testdata/fuzz.
func FuzzQueues(f *testing.F) {
	f.Add(uint8(1), []byte{0, 1, 0, 0, 1, 1})
	f.Add(uint8(3), []byte{2, 34, 3, 35, 2, 66, 3, 1, 1, 4, 0, 1, 5})
	f.Add(uint8(16), []byte{2, 254, 254, 1, 1, 1, 3, 0, 0, 0, 254, 255, 1, 1})
	f.Add(uint8(40), []byte{250, 250, 250, 251, 251, 0, 0, 1, 4, 4, 1, 5, 5})
	f.Fuzz(func(t *testing.T, capacity uint8, steps []byte) {
		if capacity == 0 {
			t.Skip()
		}
		for _, k := range kinds {
			follow(t, k.name, k.whole(int(capacity)), int(capacity), steps)
		}
	})
}

// follow applies the steps: the low three bits select the operation, the others its size.
func follow(t *testing.T, name string, q whole, capacity int, steps []byte) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // no step waits
	var list []int
	next, closed := 0, false
	fail := func(i int, what string, got ...any) {
		t.Helper()
		t.Fatalf("%s, capacity %d, step %d: %s: %v; the list has %d, closed %v", name, capacity, i, what, got, len(list), closed)
	}
	// right reports whether pushed is at least what must fit and at most what can fit.
	right := func(pushed, wanted int) bool {
		if closed {
			return pushed == 0
		}
		return pushed <= wanted && pushed >= min(wanted, capacity-len(list)) && len(list)+pushed <= q.Cap()
	}
	add := func(n int) []int {
		items := make([]int, n)
		for i := range items {
			items[i] = next + i
		}
		return items
	}
	for i, step := range steps {
		size := int(step >> 3)
		switch step & 7 {
		case 0:
			pushed := 0
			if q.TryPush(next) {
				pushed = 1
			}
			if !right(pushed, 1) {
				fail(i, "TryPush", pushed)
			}
			list = append(list, add(pushed)...)
			next += pushed
		case 1:
			item, ok := q.TryPop()
			if ok != (len(list) > 0) || ok && item != list[0] {
				fail(i, "TryPop", item, ok)
			}
			if ok {
				list = list[1:]
			}
		case 2:
			pushed := q.TryPushBatch(add(size))
			if !right(pushed, size) {
				fail(i, "TryPushBatch", pushed, size)
			}
			list = append(list, add(pushed)...)
			next += pushed
		case 3:
			items := make([]int, size)
			n := q.TryPopBatch(items)
			if n != min(size, len(list)) || !slices.Equal(items[:n], list[:n]) {
				fail(i, "TryPopBatch", items[:n])
			}
			list = list[n:]
		case 4:
			item, err := q.Pop(ctx)
			switch {
			case len(list) > 0 && (err != nil || item != list[0]):
				fail(i, "Pop", item, err)
			case len(list) == 0 && closed && !errors.Is(err, queue.ErrClosed):
				fail(i, "Pop at the end", err)
			case len(list) == 0 && !closed && !errors.Is(err, context.Canceled):
				fail(i, "Pop of nothing", err)
			}
			if err == nil {
				list = list[1:]
			}
		case 5:
			if size == 31 { // rarely
				q.Close()
				closed = true
			}
		case 6:
			pushed, err := q.PushBatch(ctx, add(size))
			if !right(pushed, size) || (err == nil) != (pushed == size) {
				fail(i, "PushBatch", pushed, size, err)
			}
			list = append(list, add(pushed)...)
			next += pushed
		case 7:
			if n := q.Len(); n < len(list) || n > q.Cap() {
				fail(i, "Len", n)
			}
			if q.Closed() != closed {
				fail(i, "Closed", !closed)
			}
			if q.Drained() && !(closed && len(list) == 0) {
				fail(i, "Drained", true)
			}
		}
	}
}
