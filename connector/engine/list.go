package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A lister makes sweeps of the import list: incremental ones, and enumerations, which find what is gone. A
// sweep reads only ids, updatedAt and status, and marks what is to be looked at. Each kind has a goroutine, so
// that no incremental sweep waits for an enumeration.
type lister struct {
	asked, removal *Signal
	changes, whole sweeps
	taking         chan struct{} // one take at a time
	variants       sync.Mutex
	renewed        atomic.Bool    // the token is new: findings about the list of variants do not count
	stuck          map[string]int // list -> how often in a row it failed at its stored cursor

	found, judged atomic.Int64 // removals found, and those that the brake has judged
}

func (l *lister) of(full bool) *sweeps {
	if full {
		return &l.whole
	}
	return &l.changes
}

// AskFor requests an incremental sweep, or with full an enumeration. Requests before it begins are one.
func (x *Engine) AskFor(full bool) {
	x.locked(func() { x.of(full).asked = true })
	x.asked.Raise()
}

// Hinted requests an incremental sweep within the budget of unsigned webhooks: one named no known publication.
func (x *Engine) Hinted() {
	x.locked(func() { x.changes.hinted = true })
	x.asked.Raise()
}

func (l *lister) lastSweeps() (incremental, full desk.LastSweep) {
	return *l.changes.last.Load(), *l.whole.last.Load()
}

// A listed is what one sweep has listed, or several of one run.
type listed struct {
	ids     map[string]struct{}
	grown   time.Time // when the last new id came
	pages   int
	passed  int // entries without an id or updatedAt, or too long to keep
	entries atomic.Int64
}

func newListed() *listed { return &listed{ids: map[string]struct{}{}} }

func (l *listed) count() int { return int(l.entries.Load()) }

func (x *Engine) list(ctx context.Context) {
	var whole sync.WaitGroup
	whole.Go(func() { x.keepSweeping(ctx, true) })
	x.keepSweeping(ctx, false)
	whole.Wait()
}

func (x *Engine) keepSweeping(ctx context.Context, full bool) {
	s, failed := x.of(full), 0
	for ctx.Err() == nil {
		asked := x.asked.Raised()
		if wait := x.sweepIn(full); wait > 0 {
			Sleep(ctx, wait, asked)
			continue
		}
		x.MarketSide.AwaitRetryAfter(ctx)
		for ctx.Err() == nil && !x.Health.storeWorks(ctx) { // a list that cannot be stored wastes points
			Sleep(ctx, time.Second)
		}
		var cost float64
		hinted := false // only unsigned webhooks asked for this one, and pay
		x.locked(func() { hinted, s.asked, s.hinted = !s.asked, false, false })
		err := x.sweep(marketplace.Metered(ctx, &cost), full, false, newListed())
		if hinted {
			x.hints.spend(cost, x.Market.Budget().RestoreRate, time.Now())
		}
		if failed++; err == nil {
			failed = 0
			continue
		}
		asked = x.asked.Raised()
		x.locked(func() { s.asked, s.hinted = s.asked || !hinted, s.hinted || hinted })
		Sleep(ctx, Backoff(failed, min(x.MaxBackoff(), maxPause)), asked)
	}
}

// sweep makes one sweep. With read it has all content read again. An incremental sweep goes on with the product
// variants, for which no other sweep waits.
func (x *Engine) sweep(ctx context.Context, full, read bool, into *listed) (err error) {
	leave, err := enter(ctx, x.of(full).turn)
	if err != nil {
		return err
	}
	leave = sync.OnceFunc(leave)
	defer leave()
	begun := time.Now()
	defer func() { x.swept(ctx, full, begun, into, err) }()
	defer x.Health.recovers(&err, "sweep", "full", full)
	if full {
		return x.enumerate(ctx, read, into)
	}
	if err := x.listChanges(ctx, into); err != nil {
		return err
	}
	leave()
	return x.followVariants(ctx)
}

// swept keeps no result of a stopped sweep.
func (x *Engine) swept(ctx context.Context, full bool, begun time.Time, into *listed, err error) {
	if into.passed > 0 {
		x.Logger.Warn("entries of the import list were passed over: they lack an id or updatedAt, or are too long",
			"entries", into.passed)
	}
	kind, result := "incremental", "ok"
	if full {
		kind = "full"
	}
	ofShop := errors.As(err, new(*shopError))
	if err == nil || ctx.Err() == nil {
		s := desk.LastSweep{At: begun, Listed: into.count(), Completed: begun, OfShop: ofShop}
		if err != nil {
			s.Error, s.Completed = err.Error(), x.of(full).last.Load().Completed
		}
		x.of(full).last.Store(&s)
	}
	if err != nil {
		result = "error"
	} else {
		x.Health.setLastError(desk.LastError{})
	}
	x.Metrics.sweeps.WithLabelValues(kind, result).Inc()
	x.remember(ctx, err, noRun)
	switch {
	case err == nil:
		if full {
			x.resynced.Raise()
		}
	case ctx.Err() != nil:
	case errors.Is(err, store.ErrAccount):
		x.Health.end(err)
	case errors.As(err, new(*marketplace.Error)):
		x.MarketSide.Told("", err)
		if !x.MarketSide.Status(time.Now()).Paused { // else the gate has said it
			x.Logger.Warn("sweep ended early, trying again", "error", err)
		}
	case ofShop:
		x.Health.Failed(err.Error())
		x.Logger.Error("sweep ended early, trying again", "error", err)
	default:
		x.Health.Stored(err)
	}
}
