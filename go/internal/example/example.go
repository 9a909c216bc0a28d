// Package example holds the common parts of the example commands: their flags, one timed run, and
// the output.
package example

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// Options are the values of a command's flags.
type Options struct {
	N    int // iterations of the loop
	Size int // capacity of the queue, if the command has one
}

// Limits of the options. Larger values would take days, or more memory than any machine has.
const (
	mostN    = 1_000_000_000_000
	mostSize = 1 << 24
)

// Command is one example.
type Command struct {
	Name       string
	About      string // what it does, for -h
	Queue      bool   // whether it has -size
	Experiment string // the lab experiment that compares this method with others
	// Run makes at least N iterations. It returns their number and a description of the result.
	Run func(Options) (turns int, outcome string, err error)
}

// Main parses the arguments, runs the example once and prints the time. It returns the exit code: 2
// if the arguments are invalid, 1 if the run failed.
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
	fmt.Fprintf(out, "%d iterations: %s; %.2f ns per iteration\n", turns, outcome, float64(took)/float64(turns))
	fmt.Fprintf(out, "This was one run. To compare it with other methods: scripts/lab run %s\n", c.Experiment)
	return 0
}

// parse returns a one-sentence error for an invalid argument, or flag.ErrHelp after printing help.
func (c Command) parse(arguments []string, out io.Writer) (Options, error) {
	var o Options
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.N, "n", 10_000_000, "number of loop `iterations`")
	if c.Queue {
		flags.IntVar(&o.Size, "size", 1024, "capacity of the queue in `items`")
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

// inRange takes the limit as an int64, because some limits do not fit in a 32-bit int.
func inRange(name string, value int, most int64) error {
	if value < 1 || int64(value) > most {
		return fmt.Errorf("%s must be from 1 to %d, not %d", name, most, value)
	}
	return nil
}
