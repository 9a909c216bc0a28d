//go:build yields

package peers_test

// withYields reports whether the queues yield between their steps.
const withYields = true
