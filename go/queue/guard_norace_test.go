//go:build !race

package queue

import (
	"testing"
	"unsafe"
)

func TestGuardsTakeNoRoom(t *testing.T) {
	if size := unsafe.Sizeof(guard{}); size != 0 {
		t.Fatalf("%d bytes", size)
	}
}

// A second producer is noticed where its push comes between another's.
func TestASecondProducerIsNoticed(t *testing.T) {
	q := NewSPSC[int](4)
	q.shown++ // as a push between the store of the item and its publication would leave it
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	q.TryPush(1)
}
