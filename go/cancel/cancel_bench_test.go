package cancel_test

import (
	"context"
	"sync/atomic"
	"testing"

	"fathom.dev/go/cancel"
	"fathom.dev/go/internal/baseline"
)

// The loops count to b.N: b.Loop keeps each result alive, which costs as much as the load being
// measured.

// canceler is the interface through which a loop checks for cancellation.
type canceler interface{ Canceled() bool }

var sinkBool bool

// check fails the benchmark if its contender reported a cancellation.
func check(b *testing.B, canceled bool) {
	if canceled {
		b.Fatal("canceled, but nothing canceled it")
	}
	sinkBool = canceled
}

func newContext(b *testing.B) baseline.Context {
	ctx, stop := context.WithCancel(context.Background())
	b.Cleanup(stop)
	return baseline.Context{Context: ctx}
}

func BenchmarkCanceled(b *testing.B) {
	b.Run("Context", func(b *testing.B) {
		c := newContext(b)
		b.ReportAllocs()
		canceled := false
		for range b.N {
			canceled = c.Canceled()
		}
		check(b, canceled)
	})
	// The common alternative: shorter than the select, and takes no lock since Go 1.25.
	b.Run("ContextErr", func(b *testing.B) {
		c := newContext(b)
		b.ReportAllocs()
		canceled := false
		for range b.N {
			canceled = c.Err() != nil
		}
		check(b, canceled)
	})
	b.Run("Flag", func(b *testing.B) {
		var f cancel.Flag
		b.ReportAllocs()
		canceled := false
		for range b.N {
			canceled = f.Canceled()
		}
		check(b, canceled)
	})
	// The usual form: leave the loop when canceled.
	b.Run("FlagCondition", func(b *testing.B) {
		var f cancel.Flag
		b.ReportAllocs()
		for range b.N {
			if f.Canceled() {
				b.Fatal("canceled, but nothing canceled it")
			}
		}
	})
	// One load and the loop around it.
	b.Run("Floor", func(b *testing.B) {
		var word atomic.Uint32
		value := uint32(0)
		for range b.N {
			value = word.Load()
		}
		check(b, value != 0)
	})
}

func BenchmarkCanceledInterface(b *testing.B) {
	run := func(b *testing.B, c canceler) {
		b.ReportAllocs()
		canceled := false
		for range b.N {
			canceled = c.Canceled()
		}
		check(b, canceled)
	}
	b.Run("Context", func(b *testing.B) { run(b, newContext(b)) })
	b.Run("Flag", func(b *testing.B) { run(b, new(cancel.Flag)) })
}

func BenchmarkCanceledParallel(b *testing.B) {
	b.Run("Context", func(b *testing.B) {
		c := newContext(b)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if c.Canceled() {
					b.Error("canceled, but nothing canceled it")
				}
			}
		})
	})
	b.Run("Flag", func(b *testing.B) {
		var f cancel.Flag
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if f.Canceled() {
					b.Error("canceled, but nothing canceled it")
				}
			}
		})
	})
}

func BenchmarkReset(b *testing.B) {
	var f cancel.Flag
	f.Cancel()
	b.ReportAllocs()
	for range b.N {
		f.Reset()
	}
	check(b, f.Canceled())
}
