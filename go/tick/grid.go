package tick

import (
	"fmt"
	"math"
	"time"
)

// origin is the zero of monotonic().
var origin = time.Now()

// monotonic returns the monotonic clock in nanoseconds. Inside a bubble of testing/synctest it is
// the clock of the bubble.
func monotonic() int64 {
	return int64(time.Since(origin))
}

// never is the due moment of a grid that has reached its end.
const never = math.MaxInt64

// grid holds the due moments of a ticker. The caller supplies the time.
type grid struct {
	period int64
	next   int64 // the next due moment
	missed uint64
}

func newGrid(start int64, period time.Duration) grid {
	return grid{period: checked(period), next: later(start, int64(period))}
}

func checked(period time.Duration) int64 {
	if period <= 0 {
		panic(fmt.Sprintf("tick: the period must be positive, not %v", period))
	}
	return int64(period)
}

// due reports whether a due moment has passed, and if so advances to the next one.
func (g *grid) due(now int64) bool {
	return now >= g.next && g.pass(now)
}

func (g *grid) pass(now int64) bool {
	if g.next == never {
		return false
	}
	var missed uint64
	g.next, missed = after(g.next, g.period, now)
	g.missed += missed
	return true
}

// after returns the first due moment after now, and the number of due moments between next and it.
// now must not be before next.
func after(next, period, now int64) (int64, uint64) {
	missed := uint64(now-next) / uint64(period)
	return later(next+int64(missed)*period, period), missed
}

// later returns moment + span, or never if that overflows.
func later(moment, span int64) int64 {
	if moment > never-span {
		return never
	}
	return moment + span
}
