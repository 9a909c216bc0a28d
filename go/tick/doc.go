// Package tick answers "is it time yet?" in hot loops, without asking the clock more than it takes.
//
// A ticker has a period and a grid of due moments: start + n * period, n >= 1, where start is when it
// was made or Reset. Tick is true when at least one due moment has passed since it was last true. It
// is never true early, and the due moments never drift: being late for one does not move the next.
// Due moments that pass together with a later one have no Tick of their own; Missed counts them.
//
//	Std    selects on a time.Ticker: the baseline. For any goroutines.
//	Mono   reads the monotonic clock at each call. For any goroutines: one of them gets each tick.
//	Batch  reads it once in a batch of calls, whose size follows the pace of the loop.
//	TSC    reads the processor's counter at every other call, and the clock when that says that it is
//	       time: late by 20 us and two calls at most, unless the counter loses more than half its rate.
//
// Batch and TSC belong to one goroutine at a time; the race detector reports those that share one.
//
// Which one: Batch, if the loop turns often and evenly; TSC, if its turns differ widely, so that a
// count of them says little, and where there is a counter; else Mono. A loop that sleeps until
// something happens needs none of them, but a time.Ticker among the cases of its select.
//
// A ticker must not be copied, and is made by its constructor, which panics if the period is not
// positive. What would be due more than 292 years after the
// program's start is never due.
package tick
