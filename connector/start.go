package connector

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// Run is the worker: it serves webhooks and the admin listener, sweeps on schedule, and works until
// ctx ends. Then it drains: it begins no new work, waits for work under way within the grace
// period, and makes one last pass of the outbox. It returns nil after a drain, else the error that
// kept it from starting or ended it.
func (c *Connector) Run(ctx context.Context, l Listeners) error {
	if f, ok := c.o.Store.KV.(store.File); ok {
		desk.RemoveLeftBackups(f.Path())
	}
	if err := c.restore(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	accept, stopAccepting := context.WithCancel(ctx)
	defer stopAccepting()
	c.running.Store(&accept)
	servers := c.serve(l)
	if err := c.sweeper.Schedule(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	stop := c.start(ctx)
	var background sync.WaitGroup
	for _, run := range []func(context.Context){
		c.sweeper.Run, c.webhooks.registration.Run, c.secrets.Run,
		c.shop.prober.WatchPauses, c.shop.prober.WatchTerms,
		c.shop.drift.Run, c.shop.overdue.Run, c.gaps.Run,
		c.tellProgress,
	} {
		background.Go(func() { run(accept) })
	}
	background.Go(func() { c.watchLease(accept) })
	background.Go(func() { c.shop.prober.Run(accept, c) })
	background.Go(func() { c.sweeper.WatchRemovals(accept, c.working) })
	background.Go(func() { c.forgetter.Run(accept) })
	background.Go(func() { c.market.directory.Run(accept, c.marketAnswers) })
	c.Sweep(false)
	c.o.Logger.Info("worker started", "version", c.o.Version, "shop", c.o.ShopName, "store", store.PathOf(c.o.Store))

	var fatal error
	select {
	case <-ctx.Done():
	case fatal = <-c.health.Ended():
	}
	c.o.Logger.Info("worker stopping")
	stopAccepting()
	grace := c.o.Grace
	if errors.Is(fatal, store.ErrFenced) { // another process may work on the account at any moment
		grace = atOnce
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		servers.Shutdown(max(grace, 0))
		background.Wait()
		stop(grace)
		c.remember(ctx, fatal)
	}()
	var hopeless <-chan time.Time
	if errors.Is(fatal, store.ErrCorrupt) { // reading a damaged file may never end
		hopeless = time.After(damagedDrain)
	}
	select {
	case <-drained:
	case <-hopeless:
	}
	c.o.Logger.Info("worker stopped")
	return fatal
}

// atOnce is the grace period of a worker that must make no further call.
const atOnce time.Duration = -1

// watchLease ends the worker when the lease of its account is lost.
func (c *Connector) watchLease(ctx context.Context) {
	select {
	case <-c.lost():
		c.health.StoreFailed(store.ErrFenced)
	case <-ctx.Done():
	}
}

// lost is closed when the lease of the account is lost; nil where there is none.
func (x *executor) lost() <-chan struct{} {
	if s, ok := x.p.Store.KV.(store.Leased); ok {
		return s.Lost()
	}
	return nil
}

// damagedDrain bounds the drain of a worker whose store is damaged: it could store no result.
const damagedDrain = 3 * time.Second

// Sweep has an incremental sweep made soon, or with full an enumeration, as the schedule does. What
// a person asks for goes over the desk, which also ends pauses.
func (c *Connector) Sweep(full bool) { c.sweeper.Request(full) }

// marketAnswers reports whether looks may be made and the marketplace is not paused.
func (c *Connector) marketAnswers(ctx context.Context) bool {
	return c.Ready(ctx) && !c.market.breaker.Status(time.Now()).Paused
}

// start starts the worker and the reporter. The function it returns drains them, and gives work
// under way a grace period; after atOnce no report is sent either. It is called once ctx has ended,
// or when all is done.
func (x *executor) start(ctx context.Context) (stop func(grace time.Duration)) {
	fetch, stopFetching := context.WithCancel(ctx)
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	var workers sync.WaitGroup
	workers.Go(func() { x.worker.Run(fetch, work) })
	reports, stopReporting := context.WithCancel(context.WithoutCancel(ctx))
	asking, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	var reporting sync.WaitGroup
	reporting.Go(func() { x.reporter.Run(reports, asking) })
	return func(grace time.Duration) {
		stopFetching()
		drained := make(chan struct{})
		defer close(drained)
		go func() {
			select {
			case <-x.lost():
				abandon()
				hangUp()
			case <-drained:
			}
		}()
		if grace == atOnce {
			abandon()
			hangUp()
		}
		late := time.AfterFunc(grace, abandon)
		workers.Wait()
		stopReporting() // a request under way has until the end of lastPass
		tooLate := time.AfterFunc(lastPass, hangUp)
		reporting.Wait()
		x.reporter.LastPass(asking)
		tooLate.Stop()
		hangUp()
		late.Stop()
		abandon()
	}
}

// lastPass bounds the last pass of the outbox. Reports that it does not reach stay owed.
const lastPass = 5 * time.Second
