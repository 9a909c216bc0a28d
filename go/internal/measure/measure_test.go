package measure

import (
	"bytes"
	"strings"
	"testing"
)

func counting(name string, off int) Contender {
	return Contender{name, func(n int) int { return n + off }}
}

func TestEachRoundRunsEachOnce(t *testing.T) {
	runs := map[string]int{}
	count := func(name string) Contender {
		return Contender{name, func(n int) int { runs[name]++; return n }}
	}
	results, err := Compare(10, 5, []Contender{count("a"), count("b")})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if len(r.Times) != 5 || len(r.Speedup) != 5 || runs[r.Name] != 6 {
			t.Errorf("%s: %d times, %d speedups, %d runs", r.Name, len(r.Times), len(r.Speedup), runs[r.Name])
		}
	}
	for _, s := range results[0].Speedup {
		if s != 1 {
			t.Errorf("the first is %v times as fast as itself", s)
		}
	}
}

func TestWhoComputesSomethingElseIsRefused(t *testing.T) {
	if _, err := Compare(10, 1, []Contender{counting("right", 0), counting("wrong", 1)}); err == nil ||
		!strings.Contains(err.Error(), "wrong computed") {
		t.Fatal(err)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("%v: %v", c.values, got)
		}
	}
}

func TestMain_(t *testing.T) {
	for _, c := range []struct {
		arguments string
		code      int
		out, errs string // parts of what is printed
	}{
		{"-n 10 -rounds 3", 0, "b", ""},
		{"-n 10 -rounds 2 -size 64", 0, "speedup", ""},
		{"-h", 0, "-rounds", ""},
		{"-n 0", 2, "", "go-test: -n must be from 1 to"},
		{"-n -5", 2, "", "not -5"},
		{"-n x", 2, "", `invalid value "x"`},
		{"-rounds 0", 2, "", "-rounds must be"},
		{"-size 0", 2, "", "-size must be"},
		{"-size 2000000000", 2, "", "-size must be"},
		{"-n 99999999999999999999", 2, "", "out of range"},
		{"-what", 2, "", "-what"},
		{"more", 2, "", `"more" is no flag`},
	} {
		var out, errs bytes.Buffer
		code := Main("go-test", "about", true, strings.Fields(c.arguments), &out, &errs, func(Options) [][]Contender {
			return [][]Contender{{counting("a", 0), counting("b", 0)}, {counting("c", 0)}}
		})
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%s: exit code %d\n%s\n%s", c.arguments, code, &out, &errs)
		}
		if lines := strings.Count(errs.String(), "\n"); code != 0 && lines != 1 {
			t.Errorf("%s: %d lines instead of a sentence: %s", c.arguments, lines, &errs)
		}
	}
	var out, errs bytes.Buffer
	if code := Main("go-test", "about", false, []string{"-size", "5"}, &out, &errs, nil); code != 2 {
		t.Errorf("-size without queues: exit code %d", code)
	}
	if code := Main("go-test", "about", false, []string{"-n", "5"}, &out, &errs, func(Options) [][]Contender {
		return [][]Contender{{counting("a", 0), counting("b", 1)}}
	}); code != 1 {
		t.Errorf("a wrong contender: exit code %d", code)
	}
}
