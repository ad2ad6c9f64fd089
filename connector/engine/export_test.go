package engine

import "context"

// Looks works off the due set as if the store were taken, while the reports of some publications are under
// way until ended is closed.
func (x *Engine) Looks(ctx, going context.Context, ended chan struct{}, ids ...string) {
	x.claimed.Store(true)
	x.mapped.Store(true)
	x.locked(func() {
		for _, id := range ids {
			x.reporting[id] = ended
		}
	})
	x.work(ctx, going)
}

// Busy is how many publications are being looked at.
func (x *Engine) Busy() int { return x.busy() }
