// Package cancel signals cancellation to hot loops, which poll for it.
//
// A [Flag] is one atomic load. A loop that polls uses a Flag that is canceled with a context:
//
//	var flag cancel.Flag
//	defer flag.CancelWith(ctx)()
//	for !flag.Canceled() {
//		step()
//	}
//
// A loop that blocks, for example on a channel or a connection, needs the context itself and gains
// nothing from this package: a Flag can only be polled.
package cancel
