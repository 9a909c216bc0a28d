package main

import (
	"bytes"
	"testing"

	"fathom.dev/go/internal/measure"
)

// All contenders run and compute the same.
func TestContendersAgree(t *testing.T) {
	for _, more := range []string{"-size=1", "-size=1024"} {
		arguments := []string{"-n=1000", "-rounds=1", more}
		var out, errs bytes.Buffer
		if code := measure.Main("context-ticker", "test", true, arguments, &out, &errs, groups); code != 0 {
			t.Errorf("%s: exit code %d: %s", more, code, &errs)
		}
	}
}
