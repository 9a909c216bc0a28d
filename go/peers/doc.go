// Package peers holds everything that needs third-party modules: benchmarks against
// go-lock-free-ring, the check of recorded histories by porcupine, and the tool staticcheck. It is
// a separate module so that fathom.dev/go itself requires no other module.
package peers
