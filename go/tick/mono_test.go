package tick

import (
	"testing"
	"time"
)

// When two goroutines see that the same moment is due, one gets the tick.
func TestOnlyOneGoroutineGetsATick(t *testing.T) {
	m := NewMono(time.Second)
	now := m.next.Load()
	if !m.pass(now) {
		t.Fatal("no tick")
	}
	if m.pass(now) || m.pass(now+1) {
		t.Fatal("got the same tick twice")
	}
	if m.next.Load() != now+int64(time.Second) || m.Missed() != 0 {
		t.Fatal(m.next.Load()-now, m.Missed())
	}
}
