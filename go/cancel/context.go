package cancel

import "context"

// Context asks a context by a select on its Done channel: the baseline that Flag is measured
// against. Any goroutines may use it.
type Context struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// NewContext makes a Context that is canceled with the parent, or by itself.
func NewContext(parent context.Context) *Context {
	ctx, cancel := context.WithCancelCause(parent)
	return &Context{ctx, cancel}
}

// Canceled is whether it was canceled. Once true, always true.
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

// CancelCause cancels. The first cause stays.
func (c *Context) CancelCause(cause error) { c.cancel(cause) }

// Cause is why it was canceled; nil if it was not.
func (c *Context) Cause() error { return context.Cause(c.ctx) }
