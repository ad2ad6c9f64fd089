package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	// onceGrace is the time left for a call that is under way at the end of a run.
	onceGrace = 3 * time.Second
	// checkInRun bounds a check of the shop at the beginning or the end of a run.
	checkInRun = 10 * time.Second
	// sweepStill is the least time that a sweep may stand still while it waits for points or for another
	// sweep: longer than one answer may take.
	sweepStill = 45 * time.Second
	// resyncLeast is the least time that a run gives an enumeration, however short its patience: else the
	// enumeration would never reach the end of the list.
	resyncLeast = 10 * time.Second
	// mostEchoes is how many echoes of its reports a run lists itself, one page, so that the next run finds an
	// idle list. More would cost this run as much as the next.
	mostEchoes = 100
	// maxEchoSweeps bounds how often a run lists what its own reports moved: each time only if something was
	// reported since.
	maxEchoSweeps = 5
)

// A run is one single run, from its beginning to its summary: one sweep of the import list, all that is
// due, the reports. It waits for transient errors for as long as its patience lasts, and not for what only a
// person can mend. It ends once nothing can be done any more.
type run struct {
	*Engine
	patience
	full     bool
	before   Counts // as it was when the run began
	reported int64
	spent    marketplace.Stats // what the marketplace had charged by then
	listed   *listed
	swept    error // of the last try of a sweep that was not cancelled
}

// newRun begins a run. All that the engine does from now on counts as the run's.
func (x *Engine) newRun(o desk.RunOptions) *run {
	return &run{
		Engine: x, full: o.Full, patience: patience{from: time.Now(), span: o.Patience},
		before: x.done(), reported: x.acknowledged.Load(), spent: x.Market.Stats(), listed: newListed(),
	}
}

// Once makes a single run beside nothing else: it starts the loops, runs, and drains them.
func (x *Engine) Once(ctx context.Context, o desk.RunOptions) (s desk.Summary, err error) {
	if err := x.restore(context.WithoutCancel(ctx)); err != nil {
		return desk.Summary{Exit: desk.ExitStore, Error: err.Error()}, err
	}
	defer func() { x.remember(ctx, err) }()
	defer beside(ctx, x.watchLease)()
	return x.once(ctx, o)
}

func (x *Engine) once(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	r := x.newRun(o) // before the loops start, which find work at once
	x.rulesWait.Store(true)
	stop := x.start(ctx)
	defer func() {
		if ctx.Err() == nil { // only calls are under way that the patience did not wait for
			stop(min(x.Grace, onceGrace))
		} else {
			stop(x.Grace)
		}
	}()
	defer beside(ctx, func(ctx context.Context) { x.watchShop(ctx, false) })()
	if o.Progress != nil {
		defer beside(ctx, func(ctx context.Context) {
			x.watchProgress(ctx, progressEvery, func(p desk.Progress) {
				p.Listed = r.listed.count()
				o.Progress(p)
			})
		})()
	}
	return r.make(ctx)
}

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

// RunOnce makes a single run within an engine that runs: a sweep, all that is due, the reports. Runs that
// are asked for at the same time wait for one another.
func (x *Engine) RunOnce(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	leave, err := enter(ctx, x.turn)
	if err != nil {
		return desk.Summary{Exit: desk.ExitStanding, Error: err.Error()}, err
	}
	defer leave()
	return x.newRun(o).make(ctx)
}

// make makes the run. A person has asked for it: all that is pending is due at once, and every pause but a
// Retry-After ends.
func (r *run) make(ctx context.Context) (desk.Summary, error) {
	// once the patience is over what fails waits as in a worker: else it would keep the rest from its turn
	leave := sync.OnceFunc(r.Waiters.Join())
	defer leave()
	defer time.AfterFunc(r.span, leave).Stop()
	r.begin(ctx)
	err := r.do(ctx)
	r.forget(ctx)
	ending := context.WithoutCancel(ctx) // a run that is stopped ends with a summary too
	if err == nil {
		err = errors.Join(r.unread(), r.unreported(ending), r.Health.Unwritten())
	}
	if err == nil {
		err = r.unusable(ctx)
	}
	s := r.summary(ending)
	s.Exit = r.exitCode(ctx, err, s)
	if err != nil && ctx.Err() != nil {
		s.Error = "interrupted; the next run goes on where it stopped"
	} else if err != nil {
		s.Error = err.Error()
	} else if s.Exit == desk.ExitShop {
		now := time.Now()
		shop := r.ShopSide.Status(now)
		s.Error = "shop: " + cmp.Or(shop.Asked(now), shop.Reason, "its check failed; `pubsync doctor` says why")
	}
	return s, err
}

func (r *run) begin(ctx context.Context) {
	r.Health.Progressed(r.from)
	r.ShopSide.Release()
	r.MarketSide.Release()
	r.rereadSecrets(ctx)
	soon, cancel := context.WithTimeout(ctx, checkInRun)
	r.checkPause(soon)
	cancel()
	if err := r.wake(ctx, r.from); err != nil {
		r.Health.StoreFailed(err)
	}
	if r.counts(ctx)[store.StateBlocked] > 0 && r.checkSoon(ctx) == nil {
		r.Unblock(ctx)
	}
	if !r.ShopSide.Status(time.Now()).Open {
		_ = r.checkSoon(ctx) //nolint:errcheck // the next write meets it too
	}
}

func (r *run) checkSoon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkInRun)
	defer cancel()
	return r.check(ctx)
}

func (r *run) do(ctx context.Context) error {
	r.findOverdue(ctx) // a run from cron may end early, where the shop refuses everything
	if r.full && !r.ShopSide.Status(time.Now()).Open {
		r.compareNow(ctx) // before anything is written, which a comparison would not judge
	}
	err := r.sweepOn(ctx, r.full)
	r.rulesWait.Store(false)
	r.due.Raise()
	if err != nil {
		return err
	}
	if err := r.resync(ctx); err != nil {
		// all else is done, even where the list cannot be enumerated
		return errors.Join(err, r.workOff(ctx))
	}
	if r.full { // in other runs only looks read it: a run without a look stays cheap
		r.directory.Refresh(ctx)
	}
	err = r.workOff(ctx)
	r.findOverdue(ctx)
	if errors.Is(err, errShopRefuses) {
		return r.workOff(ctx)
	}
	if err != nil {
		return err
	}
	return r.listEchoes(ctx)
}

// compareNow compares what stands in the shop with the store: by each full run, by others once a day.
func (r *run) compareNow(ctx context.Context) { r.compare(ctx, r.full, max(r.span, sweepStill)) }

// sweepOn makes a sweep, and tries again while patience lasts since the last new entry; in a full run it reads all
// content again. A refused token ends it at once.
func (r *run) sweepOn(ctx context.Context, full bool) error {
	grown := time.Now()
	for attempt := 1; ; attempt++ {
		entries := r.listed.count()
		err := r.sweepWatched(ctx, full)
		if ctx.Err() == nil {
			r.swept = err
		}
		if err == nil {
			return nil
		}
		var e *marketplace.Error
		var shop *health.ShopError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case marketplace.KindOf(err) == marketplace.Unauthorized && r.rereadSecrets(ctx):
			continue // it was reset while the run went on
		case errors.As(err, &shop) && shopadapter.Explain(err).Kind != shopadapter.Blocked:
		case errors.As(err, new(*fs.PathError)), errors.Is(err, syscall.ENOSPC): // a full disk may get room
		case !errors.As(err, &e), e.Kind == marketplace.Unauthorized:
			return err
		}
		if r.listed.count() > entries {
			grown = r.Health.Progress()
		}
		left := r.span - time.Since(grown)
		wait := min(max(breaker.Backoff(attempt, breaker.HastyBackoff), breaker.MinPause), left)
		if e != nil {
			wait = max(wait, e.RetryAfter)
		}
		if t := r.MarketSide.Status(time.Now()); t.Open && t.Firm {
			wait = max(wait, time.Until(t.Until))
		}
		if left <= 0 || wait > left {
			return fmt.Errorf("%w: %w", errPatience, err)
		}
		breaker.Sleep(ctx, wait)
	}
}

// sweepWatched makes the sweep, and gives up when no page arrives for longer than the patience.
func (r *run) sweepWatched(ctx context.Context, full bool) error {
	watched, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	go func() {
		for watched.Err() == nil {
			if time.Since(latest(r.Health.Progress(), begun)) > max(r.span, sweepStill) {
				cancel()
			}
			breaker.Sleep(watched, time.Second)
		}
	}()
	err := r.sweep(watched, full, r.full, r.listed)
	if err != nil && watched.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: the sweep stands still", errPatience)
	}
	return err
}

// resync enumerates the list where the last enumeration is older than the interval of its schedule. Where
// the patience cuts it off, the next run goes on with it. That is an error only where no page came, or where
// the list has no end.
func (r *run) resync(ctx context.Context) error {
	now := time.Now()
	due, err := r.resyncDue(ctx, now)
	if err != nil || r.full || !due {
		return err
	}
	if !r.ShopSide.Status(now).Open {
		r.compareNow(ctx)
	}
	until, cancel := context.WithDeadline(ctx, latest(r.from.Add(r.span), now.Add(resyncLeast)))
	defer cancel()
	pages := r.listed.pages
	err = r.sweepOn(until, true)
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case until.Err() == nil && !errors.Is(err, errPatience):
		return err
	case errors.Is(r.swept, marketplace.ErrEndless), r.swept != nil && r.listed.pages == pages:
		return fmt.Errorf("%w: %w", errPatience, r.swept)
	}
	r.Logger.Info("the next run goes on with the enumeration", "listed", r.listed.count())
	return nil
}

// listEchoes lists the entries that the run's own reports moved behind the cursor. Now it is known that only
// reports moved them. In a plan none did: the marketplace is told nothing.
func (r *run) listEchoes(ctx context.Context) error {
	last := int64(-1)
	for range maxEchoSweeps {
		now := r.acknowledged.Load()
		cursor, ok, err := r.Store.CursorOf(ctx, cursorUpdated)
		moved := false
		r.locked(func() { moved = err == nil && ok && r.lastAck >= cursor.At })
		if r.recorder != nil || now == last || now-r.reported > mostEchoes || !moved {
			break
		}
		last = now
		if err := r.sweep(ctx, false, false, r.listed); err != nil {
			break
		}
		if err := r.workOff(ctx); err != nil {
			return err
		}
	}
	return r.workOff(ctx)
}
