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

// A lister makes sweeps of the import list: of what changed since the last one, and enumerations, which find what is
// gone. A sweep reads only identifiers, updatedAt and status, and marks what is to be looked at. Each kind has a
// goroutine and makes one sweep at a time, so that no sweep of what changed waits for an enumeration.
type lister struct {
	asked, removal *Signal // raised when a sweep is asked for, and when a removal is found
	changes, whole sweeps
	taking         chan struct{} // holds a token while the store is readied for its first list
	variants       sync.Mutex    // is held while the list of product variants is read
	renewed        atomic.Bool   // the token is another: what was found out about that list does not count

	found, judged atomic.Int64 // removals found, and the brake has judged so many of them
}

func (l *lister) of(full bool) *sweeps {
	if full {
		return &l.whole
	}
	return &l.changes
}

// AskFor has an incremental sweep made, or with full an enumeration. Asking twice before it begins is asking once.
func (x *Engine) AskFor(full bool) {
	x.locked(func() { x.of(full).asked = true })
	x.asked.Raise()
}

// Hinted has an incremental sweep made when the budget of unsigned webhooks allows: one was sent that names nothing
// known.
func (x *Engine) Hinted() {
	x.locked(func() { x.changes.hinted = true })
	x.asked.Raise()
}

// lastSweeps is the last sweep of each kind.
func (l *lister) lastSweeps() (incremental, full desk.LastSweep) {
	return *l.changes.last.Load(), *l.whole.last.Load()
}

// A listed is what one sweep has listed, or several sweeps of one run.
type listed struct {
	ids     map[string]struct{} // each entry once
	grown   time.Time           // when the last one came
	pages   int
	passed  int // entries without an id or an updatedAt, and those that are too long to be kept
	entries atomic.Int64
}

func newListed() *listed { return &listed{ids: map[string]struct{}{}} }

// count is the number of entries that were listed. It may be called while the list is read.
func (l *listed) count() int { return int(l.entries.Load()) }

// list makes the sweeps that are asked for, until ctx ends. Each is made again until it is complete.
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
		for ctx.Err() == nil && !x.Health.storeWorks(ctx) { // the points of a list that cannot be stored are wasted
			Sleep(ctx, time.Second)
		}
		var cost float64
		hinted := false // only unsigned webhooks asked for this one, and pay for it
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
		Sleep(ctx, Backoff(failed, min(x.Waiters.MaxBackoff(), maxPause)), asked)
	}
}

// sweep makes one sweep, an enumeration with full, and adds what it listed to into. With read, every entry's content is
// read again. A sweep of what changed goes on with the product variants, for which no other sweep waits.
func (x *Engine) sweep(ctx context.Context, full, read bool, into *listed) (err error) {
	leave, err := enter(ctx, x.of(full).turn)
	if err != nil {
		return err
	}
	leave = sync.OnceFunc(leave)
	defer leave()
	begun := time.Now()
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "sweep", Message: x.Health.Recovered(p, "full", full)}
		}
		x.swept(ctx, full, begun, into, err)
	}()
	if full {
		return x.enumerate(ctx, read, into)
	}
	if err := x.listChanges(ctx, into); err != nil {
		return err
	}
	leave()
	return x.followVariants(ctx)
}

// swept tells log, status and gate how a sweep ended. One that was stopped is no result.
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
		s := desk.LastSweep{At: begun, Listed: into.count(), Passed: into.passed, Completed: begun, OfShop: ofShop}
		if err != nil {
			s.Error, s.Completed = err.Error(), x.of(full).last.Load().Completed
		}
		x.of(full).last.Store(&s)
	}
	if err != nil {
		result = "error"
	}
	x.Metrics.sweeps.WithLabelValues(kind, result).Inc()
	x.remember(ctx, err)
	switch {
	case err == nil:
		x.Health.Mended(partSweep)
		if full {
			x.resynced.Raise()
		}
	case ctx.Err() != nil:
	case errors.As(err, new(*store.AccountError)):
		x.Health.end(err)
	case errors.As(err, new(*marketplace.Error)):
		if x.MarketSide.Told("", err) {
			x.Health.FailedAt(partSweep, "", err.Error())
		}
		if !x.MarketSide.Status(time.Now()).Paused { // else its gate has said it once
			x.Logger.Warn("sweep ended early, trying again", "error", err)
		}
	case ofShop:
		x.Health.FailedAt(partSweep, "", err.Error())
		x.Logger.Error("sweep ended early, trying again", "error", err)
	default:
		x.Health.Stored(err)
	}
}
