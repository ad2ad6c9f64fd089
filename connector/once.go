package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/run"
)

// Once makes a single run beside nothing else: it starts the loops, runs, and drains them.
func (c *Connector) Once(ctx context.Context, o desk.RunOptions) (s desk.Summary, err error) {
	if err := c.restore(context.WithoutCancel(ctx)); err != nil {
		return desk.Summary{Exit: desk.ExitStore, Error: err.Error()}, err
	}
	defer func() { c.remember(ctx, err) }()
	defer beside(ctx, c.watchLease)()
	return c.executor.once(ctx, c.runs(), o)
}

// once makes a single run with loops of its own.
func (x *executor) once(ctx context.Context, needs run.Options, o desk.RunOptions) (desk.Summary, error) {
	r := run.New(needs, o) // before the loops start, which find work at once
	x.worker.HoldRules()
	stop := x.start(ctx)
	defer func() {
		if ctx.Err() == nil { // only calls are under way that the patience did not wait for
			stop(min(x.p.Grace, onceGrace))
		} else {
			stop(x.p.Grace)
		}
	}()
	defer beside(ctx, x.shop.prober.WatchPauses)()
	if o.Progress != nil {
		defer beside(ctx, func(ctx context.Context) { r.TellProgress(ctx, o.Progress) })()
	}
	return r.Make(ctx)
}

// onceGrace is the time left for a call that is under way at the end of a run.
const onceGrace = 3 * time.Second

// beside runs f until the function that it returns is called.
func beside(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// RunOnce makes a single run within a connector that is running: a sweep, all that is due, the
// reports. Runs that are asked for at the same time wait for one another.
func (c *Connector) RunOnce(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return desk.Summary{Exit: desk.ExitStanding, Error: ctx.Err().Error()}, ctx.Err()
	}
	return run.New(c.runs(), o).Make(ctx)
}
