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
			break // closed, and all has been popped
		}
		sum += item
	}
	fmt.Println(sum)
	// Output: 499500
}

// A consumer that polls knows by Drained when it is done.
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
			runtime.Gosched() // or whatever else there is to do
		}
	}
	// Output: only one
}

// A producer that makes items one by one shows them to the consumer sixteen at a time.
func ExampleSPSC_Stage() {
	q := queue.NewSPSC[int](64)
	for i := range 20 {
		q.Stage(i)
		if i%16 == 15 {
			q.Flush()
		}
	}
	fmt.Println("shown:", q.Len())
	q.Flush()
	fmt.Println("shown:", q.Len())
	// Output:
	// shown: 16
	// shown: 20
}

// Several producers, each with a lane of its own, and one consumer.
func ExampleSharded() {
	q := queue.NewSharded[int](256)
	ctx := context.Background()
	var producing sync.WaitGroup
	for range 4 {
		lane := q.Producer()
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
