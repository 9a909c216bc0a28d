//go:build race

package queue

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// UnderRaceDetector tells the tests outside the package how they were built.
const UnderRaceDetector = true

// In builds with the race detector, a second goroutine on one side panics. The test enters the
// guard itself to simulate the first goroutine.
func TestSecondGoroutineOnOneSidePanics(t *testing.T) {
	spsc, mpsc, sharded := NewSPSC[int](4), NewMPSC[int](4), NewSharded[int](4)
	lane := sharded.NewProducer()
	items := make([]int, 2)
	for _, c := range []struct {
		part  string
		guard *guard
		calls map[string]func()
	}{
		{"producer of an SPSC", &spsc.producer, map[string]func(){
			"TryPush":      func() { spsc.TryPush(1) },
			"TryPushBatch": func() { spsc.TryPushBatch(items) },
			"Stage":        func() { spsc.Stage(1) },
			"Flush":        func() { spsc.Flush() },
		}},
		{"consumer of an SPSC", &spsc.consumer, map[string]func(){
			"TryPop":      func() { spsc.TryPop() },
			"TryPopBatch": func() { spsc.TryPopBatch(items) },
			"Peek":        func() { spsc.Peek(1) },
			"Discard":     func() { spsc.Discard(0) },
		}},
		{"consumer of an MPSC", &mpsc.consumer, map[string]func(){
			"TryPop":      func() { mpsc.TryPop() },
			"TryPopBatch": func() { mpsc.TryPopBatch(items) },
		}},
		{"consumer of a Sharded", &sharded.consumer, map[string]func(){
			"TryPop":      func() { sharded.TryPop() },
			"TryPopBatch": func() { sharded.TryPopBatch(items) },
		}},
		{"producer of an SPSC", &lane.lane.producer, map[string]func(){
			"Producer.TryPush": func() { lane.TryPush(1) },
		}},
	} {
		for name, call := range c.calls {
			c.guard.enter(c.part)
			func() {
				defer func() {
					if message, _ := recover().(string); !strings.Contains(message, c.part) {
						t.Errorf("%s by a second goroutine: %q", name, message)
					}
				}()
				call()
			}()
			c.guard.leave()
			call() // alone, the call must not panic
		}
	}
}

// A method that panics for another reason leaves its guard, so that a caller that recovers can go
// on.
func TestPanicLeavesTheGuard(t *testing.T) {
	q := NewSPSC[int](4)
	for _, mistake := range []func(){
		func() { q.Discard(1) },
		func() { q.shown++; q.TryPush(1) }, // the state after an overlapping push of a second producer
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			mistake()
		}()
	}
	if q.consumer.taken.Load() || q.producer.taken.Load() {
		t.Error("a guard is still taken")
	}
}

// Two goroutines that push one after the other without synchronization are a race, and the detector
// reports it: the guard's own atomics do not hide it. A child process makes the mistake.
func TestUnorderedProducersAreReported(t *testing.T) {
	const variable = "QUEUE_TEST_MISTAKE"
	if os.Getenv(variable) != "" {
		makeTheMistake()
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), variable+"=1")
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "DATA RACE") {
		t.Errorf("not reported: %v\n%s", err, out)
	}
}

func makeTheMistake() {
	q := NewSPSC[int](4)
	for range 2 {
		done := make(chan struct{}, 1)
		go func() {
			q.TryPush(1)
			done <- struct{}{}
		}()
		// Waits for the goroutine without synchronization: reading the length of a channel does not
		// synchronize.
		for len(done) == 0 {
		}
	}
}
