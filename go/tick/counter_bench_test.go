package tick

import "testing"

// BenchmarkFloor measures what TSC and Mono cannot do without: reading the counter, and reading the
// clock.
func BenchmarkFloor(b *testing.B) {
	b.Run("Counter", func(b *testing.B) {
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
	})
	b.Run("Clock", func(b *testing.B) {
		now := int64(0)
		for range b.N {
			now = monotonic()
		}
		if now == 0 {
			b.Fatal("no clock")
		}
	})
}
