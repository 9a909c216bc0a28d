//go:build !yields

package peers_test

// withYields is whether the queues yield between their steps.
const withYields = false
