package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Run is the worker: it sweeps on schedule, works, runs loops and serves until ctx ends. Then it drains: it
// waits for work under way within the grace period, and makes one last pass over the outbox. It returns nil
// after a drain, else the error that prevented or ended it. A damaged store ends it at once.
func (x *Engine) Run(
	ctx context.Context, serve func() (shutdown func(grace time.Duration)), loops ...func(context.Context),
) error {
	if err := x.restore(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	accept, stopAccepting := context.WithCancel(ctx)
	defer stopAccepting()
	x.accepting.Store(&accept)
	shutdown := serve()
	account, err := store.Account(context.WithoutCancel(ctx), x.Store)
	if err != nil {
		return err
	}
	x.follow(cmp.Or(account, x.Install), x.Sweep, x.Resync)
	stop := x.start(ctx)
	var background sync.WaitGroup
	for _, run := range append(loops,
		x.list, x.watchDrift, x.watchRemovals, x.keepTime,
		func(ctx context.Context) { x.watchShop(ctx, true) },
	) {
		background.Go(func() { run(accept) })
	}
	x.AskFor(false)
	x.Logger.Info("worker started", "version", x.Version, "shop", x.ShopName, "store", x.Store.Path())

	var fatal error
	select {
	case <-ctx.Done():
	case fatal = <-x.Health.fatal:
	}
	x.Logger.Info("worker stopping")
	stopAccepting()
	drain := func(grace time.Duration) {
		shutdown(grace)
		background.Wait()
		stop(grace)
		x.remember(ctx, fatal, noRun)
		x.Logger.Info("worker stopped")
	}
	if errors.Is(fatal, store.ErrCorrupt) { // reading a damaged file may never end, and no result can be stored
		go drain(0)
	} else {
		drain(x.Grace)
	}
	return fatal
}

// accepts returns a context that also ends when the worker stops accepting.
func (x *Engine) accepts(ctx context.Context) (accepts context.Context, end func()) {
	accepts, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(*x.accepting.Load(), cancel)
	return accepts, func() { stop(); cancel() }
}

func (x *Engine) stopping() bool { return (*x.accepting.Load()).Err() != nil }

// start starts the workers and the reporter. stop drains them within a grace period. When the account's lease
// is lost, all calls and reports are abandoned at once: another process may take over at any moment.
func (x *Engine) start(ctx context.Context) (stop func(grace time.Duration)) {
	unending := context.WithoutCancel(ctx)
	fetch, stopFetching := context.WithCancel(ctx)
	going, abandon := context.WithCancel(unending)
	reports, endReports := context.WithCancel(unending)
	asking, hangUp := context.WithCancel(unending)
	var lost <-chan struct{}
	if leased, ok := x.Store.KV.(store.Leased); ok {
		lost = leased.Lost()
	}
	release := beside(unending, func(ctx context.Context) {
		select {
		case <-lost:
			abandon()
			hangUp()
			x.Health.Stored(store.ErrFenced)
		case <-ctx.Done():
		}
	})
	var workers, reporting sync.WaitGroup
	workers.Go(func() { x.work(fetch, going) })
	if x.recorder == nil {
		reporting.Go(func() { x.report(reports, asking) })
	}
	return func(grace time.Duration) {
		defer release()
		stopFetching()
		late := time.AfterFunc(grace, abandon)
		workers.Wait()
		tooLate := time.AfterFunc(lastPass, hangUp)
		endReports()
		reporting.Wait()
		tooLate.Stop()
		hangUp()
		late.Stop()
		abandon()
	}
}

func (x *Engine) keepTime(ctx context.Context) {
	every := min(max(x.FailAfter/4, time.Second), quiet)
	for Sleep(ctx, every); ctx.Err() == nil; Sleep(ctx, every) {
		x.findOverdue(ctx)
	}
}

// restore resumes where the last process stopped: all that waits is due now.
func (x *Engine) restore(ctx context.Context) error {
	now := time.Now()
	if err := x.putBack(ctx, now); err != nil {
		return err
	}
	past, _, err := desk.PastFact.Get(ctx, x.Store)
	if err != nil {
		return err
	}
	if past.LastError != nil {
		x.Health.setLastError(*past.LastError)
	}
	x.changes.last.Store(&past.Sweeps.Incremental)
	x.whole.last.Store(&past.Sweeps.Full)
	for _, bring := range []func(context.Context, time.Time) error{x.followRules, x.wake} {
		x.Health.Stored(bring(ctx, now)) // a full disk must not prevent the start
	}
	return nil
}

// wake makes due now what waits. It also brings forward refreshes that were scheduled before the clock was set back.
func (x *Engine) wake(ctx context.Context, now time.Time) error {
	next, last, refreshes := store.At(now)+1, store.At(now.Add(x.RefreshAfter)), store.ClassesOf(store.ClassRefresh)
	var err error
	for _, q := range []store.DueQuery{
		{Classes: store.Timely, From: next, To: store.Latest},
		{Classes: refreshes, From: next, To: store.At(now.Add(MaxBackoff))},
		{Classes: refreshes, From: last + 1, To: store.Latest},
	} {
		due, _, unread := x.Store.Due(ctx, q)
		err = errors.Join(err, unread)
		for some := range slices.Chunk(due, mostSettled) {
			var ids []string
			for _, m := range some {
				ids = append(ids, m.ID)
			}
			_, unwritten := x.Store.Change(ctx, ids, func(e *store.Entry) bool {
				woken := publication.Wake(e, now)
				ahead := e.Mark != nil && e.Mark.At > last && e.Mark.Class == store.ClassRefresh
				if ahead {
					e.Mark.At = last
				}
				return woken || ahead
			})
			err = errors.Join(err, unwritten)
		}
	}
	x.locked(func() { x.woken = latest(x.woken, now) })
	x.due.Raise()
	return err
}

const noRun = -1 // in place of its exit code

// remember stores what status shows after the process has ended, with the exit of a single run, or noRun.
func (x *Engine) remember(ctx context.Context, ended error, exit int) {
	if store.Hopeless(ended) {
		return
	}
	var s desk.Status
	x.tellSides(&s)
	if exit == noRun {
		exit = s.Exit()
	}
	past := desk.Status{Sweeps: s.Sweeps, LastError: s.LastError, LastExit: exit}
	x.Health.Stored(desk.PastFact.Set(context.WithoutCancel(ctx), x.Store, past))
}
