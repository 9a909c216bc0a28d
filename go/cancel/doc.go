// Package cancel tells work that it should stop, and asks whether it should, in hot loops.
//
//	Context   selects on the Done channel of a context: the baseline
//	Flag      is one atomic load
//
// A loop that waits for something, such as a channel or a connection, needs a context, and gains
// nothing here: a Flag can only be asked. A loop that polls asks a Flag that is linked to a context:
//
//	var flag cancel.Flag
//	defer flag.Link(ctx)()
//	for !flag.Canceled() {
//		step()
//	}
package cancel
