package tick

import "testing"

// The floor for TSC: reading the counter.
func BenchmarkTick_TSC_Floor(b *testing.B) {
	if _, ok := counterBlind(); !ok {
		b.Skip(ErrNoCounter)
	}
	first := counter()
	last := first
	for range b.N {
		last = counter()
	}
	if last < first {
		b.Log("the counter has stepped back")
	}
}

// The floor for Mono: reading the clock.
func BenchmarkTick_Atomic_Floor(b *testing.B) {
	now := int64(0)
	for range b.N {
		now = monotonic()
	}
	if now == 0 {
		b.Fatal("no clock")
	}
}
