package cancel_test

import (
	"context"
	"sync/atomic"
	"testing"

	"fathom.dev/go/cancel"
)

// The names and shapes of these benchmarks are those of the project that this package comes from;
// there, Flag was called Atomic. The loops count to b.N: b.Loop keeps each result alive, which
// costs as much as the load being measured.

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

func BenchmarkCancel_Context_Done_Direct(b *testing.B) {
	c := cancel.NewContext(context.Background())
	b.ReportAllocs()
	canceled := false
	for range b.N {
		canceled = c.Canceled()
	}
	check(b, canceled)
}

// The common alternative: ctx.Err() is shorter than the select, and takes no lock since Go 1.25.
func BenchmarkCancel_Context_Err_Direct(b *testing.B) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	b.ReportAllocs()
	canceled := false
	for range b.N {
		canceled = ctx.Err() != nil
	}
	check(b, canceled)
}

func BenchmarkCancel_Atomic_Done_Direct(b *testing.B) {
	var f cancel.Flag
	b.ReportAllocs()
	canceled := false
	for range b.N {
		canceled = f.Canceled()
	}
	check(b, canceled)
}

// The floor: one load and the loop around it.
func BenchmarkCancel_Floor_Load(b *testing.B) {
	var word atomic.Uint32
	value := uint32(0)
	for range b.N {
		value = word.Load()
	}
	check(b, value != 0)
}

// The usual form: leave the loop when canceled.
func BenchmarkCancel_Atomic_Done_Branch(b *testing.B) {
	var f cancel.Flag
	b.ReportAllocs()
	for range b.N {
		if f.Canceled() {
			b.Fatal("canceled, but nothing canceled it")
		}
	}
}

func BenchmarkCancel_Context_Done_Interface(b *testing.B) {
	var c canceler = cancel.NewContext(context.Background())
	b.ReportAllocs()
	canceled := false
	for range b.N {
		canceled = c.Canceled()
	}
	check(b, canceled)
}

func BenchmarkCancel_Atomic_Done_Interface(b *testing.B) {
	var c canceler = new(cancel.Flag)
	b.ReportAllocs()
	canceled := false
	for range b.N {
		canceled = c.Canceled()
	}
	check(b, canceled)
}

func BenchmarkCancel_Context_Done_Parallel(b *testing.B) {
	c := cancel.NewContext(context.Background())
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if c.Canceled() {
				b.Error("canceled, but nothing canceled it")
			}
		}
	})
}

func BenchmarkCancel_Atomic_Done_Parallel(b *testing.B) {
	var f cancel.Flag
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if f.Canceled() {
				b.Error("canceled, but nothing canceled it")
			}
		}
	})
}

func BenchmarkCancel_Atomic_Reset(b *testing.B) {
	var f cancel.Flag
	f.Cancel()
	b.ReportAllocs()
	for range b.N {
		f.Reset()
	}
	check(b, f.Canceled())
}
