// Package example is what the commands share: their flags, one timed run, and what they print.
package example

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// Options are what a command can be told.
type Options struct {
	N    int // turns of the loop
	Size int // of the queue; only where the command has one
}

// Limits of the options: what is beyond them would take days, or memory that nobody has.
const (
	mostN    = 1_000_000_000_000
	mostSize = 1 << 24
)

// Command is one example.
type Command struct {
	Name       string
	About      string // what it shows, for -h
	Queue      bool   // whether it has -size
	Experiment string // of the lab: compares what the command uses with other ways
	// Run makes at least N turns, and returns how many it made and what came of them.
	Run func(Options) (turns int, outcome string, err error)
}

// Main parses the arguments, runs the example once and prints its time. It returns the exit code: 2 if
// the arguments were wrong, 1 if the run failed.
func (c Command) Main(arguments []string, out, errs io.Writer) int {
	o, err := c.parse(arguments, out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(errs, "%s: %s\n", c.Name, strings.ReplaceAll(err.Error(), "\n", " "))
		return 2
	}
	begin := time.Now()
	turns, outcome, err := c.Run(o)
	took := time.Since(begin)
	if err != nil {
		fmt.Fprintf(errs, "%s: %s\n", c.Name, err)
		return 1
	}
	fmt.Fprintf(out, "%d turns: %s; %.2f ns a turn\n", turns, outcome, float64(took)/float64(turns))
	fmt.Fprintf(out, "This was one run. To compare it with other ways: scripts/lab run %s\n", c.Experiment)
	return 0
}

// parse returns an error of one sentence for a wrong argument; flag.ErrHelp means that help was printed.
func (c Command) parse(arguments []string, out io.Writer) (Options, error) {
	var o Options
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.N, "n", 10_000_000, "turns of the loop")
	if c.Queue {
		flags.IntVar(&o.Size, "size", 1024, "how many items the queue has room for")
	}
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(out, "%s: %s\n", c.Name, c.About)
			flags.SetOutput(out)
			flags.PrintDefaults()
		}
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag; -h lists them", flags.Arg(0))
	}
	if err := inRange("-n", o.N, mostN); err != nil || !c.Queue {
		return o, err
	}
	return o, inRange("-size", o.Size, mostSize)
}

// inRange takes an int64, since where an int has 32 bits some limits are beyond it.
func inRange(name string, value int, most int64) error {
	if value < 1 || int64(value) > most {
		return fmt.Errorf("%s must be from 1 to %d, not %d", name, most, value)
	}
	return nil
}
