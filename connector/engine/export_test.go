package engine

import "context"

// Looks works off the due set as if the store were taken, while some publications are being reported.
func (x *Engine) Looks(ctx, going context.Context, reported ...string) {
	x.claimed.Store(true)
	x.mapped.Store(true)
	x.locked(func() {
		for _, id := range reported {
			x.reporting[id] = true
		}
	})
	x.work(ctx, going)
}
