package main

import (
	"bytes"
	"testing"

	"fathom.dev/go/internal/measure"
)

// All contenders run and compute the same.
func TestContendersAgree(t *testing.T) {
	var out, errs bytes.Buffer
	arguments := []string{"-n=1000", "-rounds=1"}
	if code := measure.Main("ticker", "test", false, arguments, &out, &errs, groups); code != 0 {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}
