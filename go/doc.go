// Package fathom is the root of three packages for hot loops in Go: cancel, queue and tick. The
// README says when to use them and when not.
package fathom
