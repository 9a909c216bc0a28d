// Package measure compares contenders that do the same work, and prints how much faster they are than
// the first of them. It is what the commands share.
package measure

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Options are what the commands can be told.
type Options struct {
	N      int // turns of a contender in a round
	Size   int // of queues; only where the command has queues
	Rounds int
}

// Limits of the options: what is beyond them would take days, or memory that nobody has.
const (
	mostN      = 1_000_000_000_000
	mostSize   = 1 << 24
	mostRounds = 10_000
)

// Parse reads the arguments of a command. queues is whether it has -size. A wrong argument is an error
// of one sentence; flag.ErrHelp means that help was printed to out.
func Parse(arguments []string, about string, queues bool, out io.Writer) (Options, error) {
	var o Options
	flags := flag.NewFlagSet(about, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.N, "n", 10_000_000, "turns of each contender in a round")
	flags.IntVar(&o.Rounds, "rounds", 11, "rounds; each runs every contender once, in a random order")
	if queues {
		flags.IntVar(&o.Size, "size", 1024, "how many items a queue has room for")
	}
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(out, about)
			flags.SetOutput(out)
			flags.PrintDefaults()
		}
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag; -h lists them", flags.Arg(0))
	}
	for _, limit := range []struct {
		name  string
		value int
		most  int64 // where an int has 32 bits, some are beyond it
	}{{"-n", o.N, mostN}, {"-rounds", o.Rounds, mostRounds}, {"-size", o.Size, mostSize}} {
		if (limit.name != "-size" || queues) && (limit.value < 1 || int64(limit.value) > limit.most) {
			return o, fmt.Errorf("%s must be from 1 to %d, not %d", limit.name, limit.most, limit.value)
		}
	}
	return o, nil
}

// Contender is one of several that do the same.
type Contender struct {
	Name string
	// Run makes n turns and returns what it computed, which must be the same for all.
	Run func(n int) (result int)
}

// Result is what was measured of a contender.
type Result struct {
	Name    string
	Times   []float64 // ns a turn, one for each round
	Speedup []float64 // the first contender's time divided by this one's, of the same round
}

// Compare runs every contender once in each round, in a random order, and one round before that does
// not count. It is an error if their results differ: then one of them does not do the work.
func Compare(n, rounds int, contenders []Contender) ([]Result, error) {
	results := make([]Result, len(contenders))
	order := make([]int, len(contenders))
	for i, c := range contenders {
		results[i].Name = c.Name
		order[i] = i
	}
	for round := -1; round < rounds; round++ {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		times, computed := make([]float64, len(contenders)), make([]int, len(contenders))
		turns := n
		if round < 0 {
			turns = max(1, n/10)
		}
		for _, i := range order {
			begin := time.Now()
			computed[i] = contenders[i].Run(turns)
			times[i] = float64(time.Since(begin)) / float64(turns)
		}
		for i := range contenders {
			if computed[i] != computed[0] {
				return nil, fmt.Errorf("%s computed %d where %s computed %d", contenders[i].Name, computed[i], contenders[0].Name, computed[0])
			}
			if round >= 0 {
				results[i].Times = append(results[i].Times, times[i])
				results[i].Speedup = append(results[i].Speedup, times[0]/times[i])
			}
		}
	}
	return results, nil
}

// Print writes a table of the results.
func Print(out io.Writer, results []Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tns a turn\tmin\tmax\tspeedup\tmin\tmax\t")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Name,
			number(Median(r.Times)), number(slices.Min(r.Times)), number(slices.Max(r.Times)),
			number(Median(r.Speedup)), number(slices.Min(r.Speedup)), number(slices.Max(r.Speedup)))
	}
	return table.Flush()
}

// Median is the middle value, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// number has three digits, or all before the point.
func number(value float64) string {
	switch {
	case value < 10:
		return fmt.Sprintf("%.2f", value)
	case value < 100:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.0f", value)
}

// Main is the whole of a command: it parses, compares and prints, and returns the exit code, 2 if the
// arguments were wrong, 1 if a contender was. Each group of contenders makes a table.
func Main(command, about string, queues bool, arguments []string, out, errs io.Writer, groups func(Options) [][]Contender) int {
	o, err := Parse(arguments, about, queues, out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(errs, "%s: %s\n", command, strings.ReplaceAll(err.Error(), "\n", " "))
		return 2
	}
	fmt.Fprintf(out, "%s: %d rounds of %d turns, GOMAXPROCS %d, %s %s/%s\n",
		about, o.Rounds, o.N, runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, contenders := range groups(o) {
		fmt.Fprintln(out)
		results, err := Compare(o.N, o.Rounds, contenders)
		if err == nil {
			err = Print(out, results)
		}
		if err != nil {
			fmt.Fprintf(errs, "%s: %s\n", command, err)
			return 1
		}
	}
	fmt.Fprintln(out, "\nMedians over the rounds. A speedup is the time of a table's first row divided by that of the row, in one round.")
	return 0
}
