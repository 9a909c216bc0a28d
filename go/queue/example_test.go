package queue_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"fathom.dev/go/queue"
)

// One producer and one consumer that wait for each other.
func ExampleSPSC() {
	q := queue.NewSPSC[int](256)
	ctx := context.Background()
	go func() {
		defer q.Close()
		for i := range 1000 {
			if q.Push(ctx, i) != nil {
				return
			}
		}
	}()
	sum := 0
	for {
		item, err := q.Pop(ctx)
		if err != nil {
			break // closed and empty
		}
		sum += item
	}
	fmt.Println(sum)
	// Output: 499500
}

// A consumer that polls uses Drained to find out when it is done.
func ExampleSPSC_Drained() {
	q := queue.NewSPSC[string](8)
	go func() {
		q.TryPush("only one")
		q.Close()
	}()
	for {
		if item, ok := q.TryPop(); ok {
			fmt.Println(item)
		} else if q.Drained() {
			break
		} else {
			runtime.Gosched() // or do other work
		}
	}
	// Output: only one
}

// A producer that generates items one by one publishes them sixteen at a time.
func ExampleSPSC_Stage() {
	q := queue.NewSPSC[int](64)
	for i := range 20 {
		q.Stage(i)
		if i%16 == 15 {
			q.Flush()
		}
	}
	fmt.Println("visible:", q.Len())
	q.Flush()
	fmt.Println("visible:", q.Len())
	// Output:
	// visible: 16
	// visible: 20
}

// Several producers, each with its own lane, and one consumer.
func ExampleSharded() {
	q := queue.NewSharded[int](256)
	ctx := context.Background()
	var producing sync.WaitGroup
	for range 4 {
		lane := q.NewProducer()
		producing.Go(func() {
			for range 250 {
				if lane.Push(ctx, 1) != nil {
					return
				}
			}
		})
	}
	go func() {
		producing.Wait()
		q.Close()
	}()
	sum := 0
	for {
		item, err := q.Pop(ctx)
		if err != nil {
			break
		}
		sum += item
	}
	fmt.Println(sum)
	// Output: 1000
}

// Jobs for several workers.
func ExampleMPMC() {
	jobs := queue.NewMPMC[int](16)
	ctx := context.Background()
	var working sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for range 3 {
		working.Go(func() {
			for {
				job, err := jobs.Pop(ctx)
				if err != nil {
					return
				}
				mu.Lock()
				sum += job
				mu.Unlock()
			}
		})
	}
	for i := range 101 {
		if err := jobs.Push(ctx, i); err != nil {
			break
		}
	}
	jobs.Close()
	working.Wait()
	fmt.Println(sum)
	// Output: 5050
}
