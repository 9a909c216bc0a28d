// Package tick tells hot loops when a period has ended, with as few readings of the clock as
// possible.
//
// A ticker has a period and a grid of due moments: start + n * period, n >= 1, where start is the
// time of its construction or last Reset. Tick returns true if at least one due moment has passed
// since it last returned true. It never returns true early, and the due moments do not drift: a
// late tick does not move the next. If several due moments pass between two calls, they share one
// tick, and Missed counts the others.
//
//   - [Batch] reads the clock once per batch of calls; the size of the batch follows the pace of the
//     loop.
//   - [TSC] reads the processor's counter at every other call, and the clock when the counter says
//     that the period has ended: late by at most 20 us and two calls, unless the counter loses more
//     than half its rate.
//   - [Mono] reads the monotonic clock at each call. It is safe for concurrent use: one goroutine
//     gets each tick.
//
// Batch and TSC belong to one goroutine at a time; the race detector reports concurrent use.
//
// Use Batch if the loop runs often and evenly; TSC if its iterations vary so widely that their
// number says little, and the processor has a suitable counter; otherwise Mono. A loop that blocks
// does not need this package: use a [time.Ticker] in its select.
//
// A ticker must not be copied. Its constructor panics if the period is not positive. A moment more
// than 292 years after the start of the program is never due.
package tick
