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

// Several producers of one sequence, and one consumer.
func ExampleMPSC() {
	q := queue.NewMPSC[string](16)
	var producing sync.WaitGroup
	for range 3 {
		producing.Go(func() {
			for _, item := range []string{"a", "b"} {
				q.TryPush(item) // there is room for all
			}
		})
	}
	producing.Wait()
	q.Close()
	counts := map[string]int{}
	for {
		item, err := q.Pop(context.Background())
		if err != nil {
			break
		}
		counts[item]++
	}
	fmt.Println(counts)
	// Output: map[a:3 b:3]
}

// A producer closes its lane when it has no more items. The others go on.
func ExampleProducer() {
	q := queue.NewSharded[string](8)
	first, second := q.NewProducer(), q.NewProducer()
	first.TryPush("last of the first")
	first.Close()
	fmt.Println(first.TryPush("too late"), second.TryPush("from the second"))
	for item, ok := q.TryPop(); ok; item, ok = q.TryPop() {
		fmt.Println(item)
	}
	// Unordered output:
	// false true
	// last of the first
	// from the second
}

// A consumer that examines items where they are, without copying them.
func ExampleSPSC_Peek() {
	q := queue.NewSPSC[[2]int](8)
	q.TryPushBatch([][2]int{{1, 10}, {2, 20}, {3, 30}})
	for view := q.Peek(q.Cap()); len(view) > 0; view = q.Peek(q.Cap()) {
		for i := range view {
			fmt.Println(view[i][1])
		}
		q.Discard(len(view))
	}
	// Output:
	// 10
	// 20
	// 30
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
