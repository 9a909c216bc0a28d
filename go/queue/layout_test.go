package queue

import (
	"testing"
	"unsafe"
)

// Fields that different goroutines write are at least a cache line apart.
func TestProducersAndConsumersShareNoCacheLine(t *testing.T) {
	var s SPSC[int]
	var m MPSC[int]
	var n MPMC[int]
	for name, distance := range map[string]uintptr{
		"SPSC: slots and producer":    unsafe.Offsetof(s.tail) - unsafe.Offsetof(s.items),
		"SPSC: producer and consumer": unsafe.Offsetof(s.head) - unsafe.Offsetof(s.tailWord),
		"SPSC: consumer and sleepers": unsafe.Offsetof(s.room) - unsafe.Offsetof(s.headWord),
		"MPSC: slots and tail":        unsafe.Offsetof(m.tail) - unsafe.Offsetof(m.lag),
		"MPSC: tail and headWord":     unsafe.Offsetof(m.headWord) - unsafe.Offsetof(m.tail),
		"MPSC: headWord and consumer": unsafe.Offsetof(m.head) - unsafe.Offsetof(m.headWord),
		"MPSC: consumer and sleepers": unsafe.Offsetof(m.items) - unsafe.Offsetof(m.tellAt),
		"MPMC: slots and tail":        unsafe.Offsetof(n.tail) - unsafe.Offsetof(n.shift),
		"MPMC: tail and head":         unsafe.Offsetof(n.head) - unsafe.Offsetof(n.tail),
		"MPMC: head and sleepers":     unsafe.Offsetof(n.items) - unsafe.Offsetof(n.head),
	} {
		if distance < cacheLine {
			t.Errorf("%s: %d bytes apart", name, distance)
		}
	}
}
