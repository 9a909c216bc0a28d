//go:build !yields

package queue

// schedPoint does nothing in this build and costs nothing: see schedpoint_on.go.
func schedPoint() {}

// spins is how often a waiting method yields its processor before it sleeps. A sleep and a wake-up
// cost about as much as this many yields.
const spins = 16
