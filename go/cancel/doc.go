// Package cancel signals cancellation to hot loops, which poll for it.
//
//	Context   selects on the Done channel of a context: the baseline
//	Flag      is one atomic load
//
// A loop that blocks, for example on a channel or a connection, needs a context and gains nothing
// from this package: a Flag can only be polled. A loop that polls uses a Flag that is linked to a
// context:
//
//	var flag cancel.Flag
//	defer flag.Link(ctx)()
//	for !flag.Canceled() {
//		step()
//	}
package cancel
