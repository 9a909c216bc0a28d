// Package peers holds what needs other people's modules: benchmarks beside go-lock-free-ring, the
// check of recorded histories by porcupine, and the tool staticcheck. It is a module of its own so that
// fathom.dev/go itself requires nothing.
package peers
