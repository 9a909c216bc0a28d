//go:build !yields

package queue

// yield does nothing in this build: see yield_on.go.
func yield() {}

// spins is how often a waiting method yields its processor before it sleeps. A sleep and a wake-up
// cost about as much as this many yields.
const spins = 16
