package peers_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var planted = flag.Bool("planted", false, "plant faults in a copy of the module, one at a time, and run its tests (takes minutes)")

// swap is a replacement in a copy of the module.
type swap struct{ old, new string }

const unharmed = "nothing"

// plant is a fault in one file: what it is, and the replacements that make it.
type plant struct {
	file, what string
	swaps      []swap
}

var plants = []plant{
	// Without a fault the tests must pass, which also shows that they have enough time.
	{"queue/queue.go", unharmed, nil},
	{"queue/spsc.go", "an item is published before it is stored", []swap{
		{"\tq.slots[tail&q.mask] = item\n\tq.tail = tail + 1\n\tschedPoint()\n", "\tq.tail = tail + 1\n"},
		{"\tq.shown = tail + 1\n\tschedPoint()\n", "\tq.shown = tail + 1\n\tschedPoint()\n\tq.slots[tail&q.mask] = item\n"},
	}},
	{"queue/spsc.go", "a slot is freed before its item is read", []swap{
		{"\tschedPoint()\n\titem = q.take()\n", "\tq.headWord.Store(head + 1)\n\tschedPoint()\n\titem = q.take()\n"},
	}},
	{"queue/spsc.go", "a push after Close clears the closed bit", []swap{
		{"if !q.tailWord.CompareAndSwap(q.shown, tail+1) {", "if q.tailWord.Swap(tail+1) == 1 {"},
	}},
	{"queue/spsc.go", "a push wakes no sleeper", []swap{
		{"\tq.shown = tail + 1\n\tschedPoint()\n\tq.items.notify()\n", "\tq.shown = tail + 1\n"},
	}},
	{"queue/spsc.go", "a pop wakes no sleeper", []swap{
		{"\tschedPoint()\n\tq.room.notify()\n", ""},
	}},
	{"queue/spsc.go", "the producer does not learn that the ring is empty", []swap{
		{"if q.tellAt != q.head+q.lag {\n\t\tq.tell()", "if false {\n\t\tq.tell()"},
	}},
	{"queue/spsc.go", "popped items stay referenced", []swap{{"item, *slot = *slot, none", "item = *slot\n\t_ = none"}}},
	{"queue/spsc.go", "the ring holds one item too many", []swap{
		{"\ttail := q.tail\n\tif tail-q.headSeen >= q.limit && !q.makeRoom() {\n\t\tq.producer.leave()", "\ttail := q.tail\n\tif tail-q.headSeen > q.limit && !q.makeRoom() {\n\t\tq.producer.leave()"},
	}},
	{"queue/spsc.go", "drained as soon as it is closed", []swap{
		{"\treturn q.tailWord.Load() == head|closedBit\n", "\treturn q.tailWord.Load()|head >= closedBit\n"},
	}},
	{"queue/event.go", "a waiter does not check again before it sleeps", []swap{{"\tif ready() {", "\tif false {"}}},
	{"queue/event.go", "a waiter that leaves after it was chosen leaves its wake-up behind", []swap{{"\t\t<-s.wake // does not", "\t\t// does not"}}},
	{"queue/mpmc.go", "Close wakes no consumer", []swap{{"Or(closedBit)\n\tq.items.notify()\n", "Or(closedBit)\n"}}},
	{"queue/mpmc.go", "Close wakes no producer", []swap{{"Or(closedBit)\n\tq.items.notify()\n\tq.room.notify()\n", "Or(closedBit)\n\tq.items.notify()\n"}}},
	{"queue/mpsc.go", "a slot is published before it is filled", []swap{
		{"\tslot.item = item\n\tschedPoint()\n\tslot.filled.Store(index + 1)\n", "\tslot.filled.Store(index + 1)\n\tschedPoint()\n\tslot.item = item\n"},
	}},
	{"queue/mpsc.go", "an index is taken by a swap instead of a compare-and-swap", []swap{
		{"q.tail.CompareAndSwap(tail, tail+taken)", "q.tail.Swap(tail+taken) < closedBit"},
	}},
	{"queue/mpsc.go", "an index is taken and returned", []swap{
		{"\t\ttail = q.tail.Load()\n", "\t\tif n > 0 {\n\t\t\ttail = q.tail.Add(n) - n\n\t\t\tif tail&closedBit == 0 && int64(tail-q.headWord.Load()) < int64(q.limit) {\n\t\t\t\treturn tail, n\n\t\t\t}\n\t\t\tschedPoint()\n\t\t\tq.tail.Add(-n)\n\t\t\treturn 0, 0\n\t\t}\n\t\ttail = q.tail.Load()\n"},
	}},
	{"queue/mpsc.go", "Close does not end the consumer's sleep", []swap{
		{"filled.Load() == q.head+1 || q.Drained()", "filled.Load() == q.head+1"},
	}},
	{"queue/mpmc.go", "a slot is freed before it is read", []swap{
		{"\t\t\t\titem, slot.item = slot.item, none\n\t\t\t\tslot.state.Store(filled + 1)\n", "\t\t\t\tslot.state.Store(filled + 1)\n\t\t\t\tschedPoint()\n\t\t\t\titem, slot.item = slot.item, none\n"},
	}},
	{"queue/mpmc.go", "pushes go on after Close", []swap{
		{"\t\tif tail&closedBit != 0 {\n\t\t\treturn false\n\t\t}\n", "\t\ttail &^= closedBit\n"},
	}},
	{"queue/event.go", "a consumer that got an item does not wake the next", []swap{
		{"\t\tcase try():\n\t\t\te.passOn(ready)\n", "\t\tcase try():\n"},
	}},
	{"queue/event.go", "a consumer that finds the queue drained does not wake the next", []swap{
		{"\t\t\te.passOn(ready)\n\t\t\treturn ErrClosed\n", "\t\t\treturn ErrClosed\n"},
	}},
	{"queue/event.go", "a context that is done takes precedence over an available item", []swap{
		{"; turn++ {\n", "; turn++ {\n\t\tif ctx.Err() != nil {\n\t\t\treturn ctx.Err()\n\t\t}\n"},
	}},
	{"queue/spsc.go", "Flush does not report that staged items were dropped", []swap{{"\t\treturn !q.refused\n", "\t\treturn true\n"}}},
	{"queue/spsc.go", "Stage succeeds in a ring known to be closed", []swap{{"\tq.headSeen = q.tail - q.limit\n", ""}}},
	{"queue/sharded.go", "a lane's Close drops staged items", []swap{{"\tp.lane.Flush()\n", ""}}},
	{"queue/sharded.go", "a busy lane monopolizes the consumer", []swap{
		{"\t\tif lane := lanes[q.current]; lane.head != lane.tailSeen {", "\t\tif lane := lanes[q.current]; lane.lookForItems() {"},
	}},
	{"queue/sharded.go", "lanes are dropped with their items", []swap{{"(*SPSC[T]).Drained)", "(*SPSC[T]).Closed)"}, {"ended = ended || lane.Drained()", "ended = true"}}},
	{"tick/grid.go", "each late tick shifts the grid", []swap{{"later(next+int64(missed)*period, period), missed", "later(now, period), missed"}}},
	{"tick/grid.go", "each missed moment gets its own tick", []swap{{"later(next+int64(missed)*period, period), missed", "later(next, period), 0 * missed"}}},
	{"tick/grid.go", "early by a nanosecond", []swap{{"now >= g.next &&", "now+1 >= g.next &&"}}},
	{"tick/mono.go", "several goroutines get the same tick", []swap{{"if now < next || next == never {", "if next == never {"}}},
	{"tick/batch.go", "batches are longer than the limit", []swap{{"budget: lateness / 2 *", "budget: lateness * 2 *"}}},
	{"tick/batch.go", "the pace is averaged over the whole past", []swap{{"\t\tt.since = now\n\t\tt.calls = 0\n", ""}}},
	{"tick/pacer.go", "a counter that stops stops the ticks", []swap{{" && p.readings != 0", ""}}},
	{"tick/pacer.go", "a rate is trusted after one measurement", []swap{{"\tif agrees {", "\tif agrees || true {"}}},
	{"tick/pacer.go", "a counter that steps back is not noticed", []swap{{"\treturn count-p.looked < p.stretch", "\treturn count < p.looked+p.stretch"}, {"mostReadings   = 1 << 15", "mostReadings   = 1 << 30"}}},
	{"tick/pacer.go", "calls are skipped close to the due moment", []swap{{"\tp.calls, p.every = 1, 1\n", "\tp.calls, p.every = 2, 2\n"}}},
	{"tick/pacer.go", "Tick reads the clock before the counter", []swap{
		{"\tcount := counter()\n\treturn p.lookAt(clock(), count)\n", "\tnow := clock()\n\treturn p.lookAt(now, counter())\n"},
	}},
	{"tick/pacer.go", "Reset reads the clock before the counter", []swap{
		{"\tcount := counter()\n\tnow := clock()\n\tp.grid.next = ", "\tnow := clock()\n\tcount := counter()\n\tp.grid.next = "},
	}},
	{"cancel/flag.go", "a late callback cancels the next generation", []swap{
		{"if _, linked := f.links[l]; linked {", "if l != nil {"},
	}},
	{"cancel/flag.go", "a generation that is over cancels the next", []swap{{"return g.flag.generation == g.number && g.flag.cancel(cause)", "return g.flag.cancel(cause)"}}},
	{"cancel/flag.go", "the last cause is kept", []swap{{"\tif f.set.Load() {\n\t\treturn false\n\t}\n\tif cause == nil {", "\tif cause == nil {"}}},
	{"cancel/flag.go", "links outlive a canceled generation", []swap{{"\tf.set.Store(true)\n\tf.unlinkAll()\n", "\tf.set.Store(true)\n"}}},
	{"cancel/flag.go", "a canceled generation is linked", []swap{
		{"\tif f.set.Load() {\n\t\treturn func() bool { return false }\n\t}\n", ""},
	}},
	{"cancel/flag.go", "Reset keeps the links", []swap{{"\tf.unlinkAll()\n}\n\n// CancelWith", "}\n\n// CancelWith"}}},
}

// Each of these faults must make some test fail or time out.
func TestEachPlantedFaultIsFound(t *testing.T) {
	if !*planted {
		t.Skip("takes minutes; runs with -planted")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here")
	}
	for _, p := range plants {
		t.Run(p.file+": "+p.what, func(t *testing.T) {
			root := t.TempDir()
			if err := os.CopyFS(root, os.DirFS("..")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, p.file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.swaps {
				if n := strings.Count(string(text), s.old); n != 1 {
					t.Fatalf("cannot plant the fault: %d occurrences in the file, want 1, of: %s", n, s.old)
				}
				text = []byte(strings.Replace(string(text), s.old, s.new, 1))
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
			run := func(folder string, arguments ...string) (string, error) {
				command := exec.Command(goTool, arguments...)
				command.Dir = filepath.Join(root, folder)
				out, err := command.CombinedOutput()
				return string(out), err
			}
			part := "./" + filepath.Dir(p.file)
			if out, err := run(".", "vet", part); err != nil {
				t.Fatalf("does not compile: %s", out)
			}
			for _, with := range [][]string{{"."}, {".", "-tags=yields"}, {"peers", "-tags=yields"}} {
				arguments := append([]string{"test", "-short", "-timeout=60s"}, with[1:]...)
				if with[0] == "peers" {
					arguments = append(arguments, "-run=Linearizable", ".")
				} else {
					arguments = append(arguments, part)
				}
				if out, err := run(with[0], arguments...); err != nil {
					if p.what == unharmed {
						t.Fatal(out)
					}
					t.Logf("found by %s in %s: %s", strings.Join(arguments, " "), with[0], failures(out))
					return
				}
			}
			if p.what != unharmed {
				t.Error("not found")
			}
		})
	}
}

var failed = regexp.MustCompile(`(?m)^\s*(?:--- FAIL: (\S+)|panic: (.*)|(fatal error: .*))`)

// failures returns the names of the tests that failed.
func failures(out string) string {
	var names []string
	for _, match := range failed.FindAllStringSubmatch(out, 3) {
		names = append(names, match[1]+match[2]+match[3])
	}
	return strings.Join(names, ", ")
}
