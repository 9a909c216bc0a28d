//go:build !race

package queue

import (
	"testing"
	"unsafe"
)

// UnderRaceDetector tells the tests outside the package how they were built.
const UnderRaceDetector = false

func TestGuardsTakeNoSpace(t *testing.T) {
	if size := unsafe.Sizeof(guard{}); size != 0 {
		t.Fatalf("%d bytes", size)
	}
}

// A second producer panics if its push interrupts another's.
func TestSecondProducerPanics(t *testing.T) {
	q := NewSPSC[int](4)
	q.shown++ // the state between the store of an item and its publication
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	q.TryPush(1)
}
