package example

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// counting fails for -n 13.
var counting = Command{
	Name: "counting", About: "counts", Queue: true, Experiment: "go-cancel",
	Run: func(o Options) (int, string, error) {
		if o.N == 13 {
			return 0, "", errors.New("13 is bad luck")
		}
		return o.N, "counted", nil
	},
}

func TestMainPrintsResultsAndErrors(t *testing.T) {
	for _, c := range []struct {
		arguments string
		code      int
		out, errs string // parts of what is printed
	}{
		{"-n 10", 0, "10 iterations: counted; ", ""},
		{"-n 10", 0, "This was one run. To compare it with other methods: scripts/lab run go-cancel\n", ""},
		{"-n 10 -size 64", 0, " ns per iteration\n", ""},
		{"", 0, "10000000 iterations", ""},
		{"-h", 0, "counting: counts\n", ""},
		{"-h", 0, "-size", ""},
		{"-n 13", 1, "", "counting: 13 is bad luck\n"},
		{"-n 0", 2, "", "counting: -n must be from 1 to 1000000000000, not 0\n"},
		{"-n -5", 2, "", "not -5"},
		{"-n x", 2, "", `invalid value "x"`},
		{"-n 99999999999999999999", 2, "", "out of range"},
		{"-size 0", 2, "", "-size must be"},
		{"-size 2000000000", 2, "", "-size must be"},
		{"-what", 2, "", "-what"},
		{"more", 2, "", `"more" is not a flag`},
	} {
		var out, errs bytes.Buffer
		code := counting.Main(strings.Fields(c.arguments), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%s: exit code %d\n%s\n%s", c.arguments, code, &out, &errs)
		}
		if lines := strings.Count(errs.String(), "\n"); code != 0 && (lines != 1 || out.Len() > 0) {
			t.Errorf("%s: %d lines instead of one: %s%s", c.arguments, lines, &errs, &out)
		}
	}
}

func TestOnlyQueueCommandsHaveSize(t *testing.T) {
	without := counting
	without.Queue = false
	var out, errs bytes.Buffer
	if code := without.Main([]string{"-size", "5"}, &out, &errs); code != 2 {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	if code := without.Main([]string{"-n", "5"}, &out, &errs); code != 0 {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}
