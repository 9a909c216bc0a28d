//go:build !yields

package queue

// yield does nothing in this build: see yield_on.go.
func yield() {}

// spins is how often a waiting form gives its processor to others before it sleeps. A sleep and a
// wake-up cost about as much as that many yields.
const spins = 16
