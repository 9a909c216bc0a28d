package cancel

import "context"

// Context checks a context with a select on its Done channel. It is the baseline against which Flag
// is measured. It is safe for concurrent use.
type Context struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// NewContext returns a Context that is canceled with its parent or by its own methods.
func NewContext(parent context.Context) *Context {
	ctx, cancel := context.WithCancelCause(parent)
	return &Context{ctx, cancel}
}

// Canceled reports whether c was canceled. Once true, it stays true.
func (c *Context) Canceled() bool {
	select {
	case <-c.ctx.Done():
		return true
	default:
		return false
	}
}

// Cancel cancels with context.Canceled as the cause.
func (c *Context) Cancel() { c.cancel(nil) }

// CancelCause cancels c with the given cause. Later calls do not change the cause.
func (c *Context) CancelCause(cause error) { c.cancel(cause) }

// Cause returns the cause of the cancellation, or nil if c is not canceled.
func (c *Context) Cause() error { return context.Cause(c.ctx) }
