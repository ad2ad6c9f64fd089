package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A lister makes sweeps of the import list: incremental ones, and enumerations, which find what is gone. A
// sweep reads only ids, updatedAt and status, and marks what is to be looked at. Each kind has a goroutine, so
// that no incremental sweep waits for an enumeration.
type lister struct {
	asked, removal Signal
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
	if err := x.take(ctx); err != nil {
		return err
	}
	if full {
		return x.enumerate(ctx, begun, read, into)
	}
	if err := x.listChanges(ctx, begun, into); err != nil {
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

func (l *lister) foundRemoval() {
	l.found.Add(1)
	l.removal.Raise()
}

// removalsWait reports whether removals wait for the brake, or it judges them.
func (l *lister) removalsWait() bool { return l.found.Load() != l.judged.Load() }

const looksTogether = 4

// findAbsent asks the marketplace for each publication that a complete enumeration lacks: only the answer null
// means gone. An entry without an id may be any of them, so then none counts as gone.
//
// One transaction records all, so that the brake judges them together even after a crash.
func (x *Engine) findAbsent(ctx context.Context, enumeration store.Cursor) error {
	if enumeration.Nameless > 0 {
		x.Logger.Warn("no publication counts as gone: entries of the list have no id", "entries", enumeration.Nameless)
		return nil
	}
	var unseen []string
	for r, err := range store.Records(ctx, x.Store, store.Query{Unseen: true}) {
		if err != nil {
			return err
		}
		if publication.Listable(r, enumeration.Started, time.Now()) {
			unseen = append(unseen, r.ID)
		}
	}
	if len(unseen) == 0 {
		return nil
	}
	var absent []string
	all, asking := errgroup.WithContext(ctx)
	all.SetLimit(looksTogether) // one after another they would outlast the patience of a run from cron
	for _, id := range unseen {
		all.Go(func() (err error) {
			defer x.Health.recovers(&err, "look", "publication", id)
			entry, err := x.Market.Look(asking, marketplace.Resync, id)
			if err == nil && entry == nil {
				x.locked(func() { absent = append(absent, id) })
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("ask for absent publications: %w", err)
	}
	now := time.Now()
	_, err := x.Store.Change(ctx, absent, func(e *store.Entry) bool { return e.Known && publication.Absent(e, now) })
	x.foundRemoval()
	x.due.Raise()
	return err
}

// judgeRemovals has the brake judge new removals together with those it holds: entries that go one by one are
// part of a mass removal that waits for a person.
func (x *Engine) judgeRemovals(ctx context.Context) error {
	leave, err := enter(ctx, x.whole.turn)
	if err != nil {
		return nil //nolint:nilerr // the caller is being stopped
	}
	defer leave()
	found := x.found.Load() // later ones wait for the next judgement
	now := time.Now()
	backlog, err := x.Store.Backlog(ctx, store.At(now))
	if err != nil {
		return err
	}
	n, waiting := publication.Removals{Recent: backlog.Removed, OnSale: backlog.OnSale}, []string(nil)
	for r, err := range store.Records(ctx, x.Store, store.Query{}) {
		switch {
		case err != nil:
			return err
		case r.Sale != store.OnSale || r.Removal.Reason == "":
		case r.Removal.Go:
			n.Recent, n.OnSale = n.Recent+1, n.OnSale-1
		default:
			waiting = append(waiting, r.ID)
		}
	}
	n.Found = len(waiting)
	news, err := x.Store.Change(ctx, waiting, func(e *store.Entry) bool { return x.Brake.Removals(e, n, now) })
	if err != nil {
		return err
	}
	if news > 0 && x.Brake.RemovesTooMuch(n.OnSale, n.Recent, n.Found) {
		x.Logger.Warn("removals held until a person approves them", "held", n.Found, "on_sale", n.OnSale, "recent", n.Recent)
	}
	x.judged.Store(found) // last: else a run may end before it sees what is due now
	x.due.Raise()
	return nil
}

const (
	removalQuiet = 500 * time.Millisecond // between checks whether the due set is empty
	removalWait  = time.Minute            // bounds how long removals wait to be judged together
)

func (x *Engine) watchRemovals(ctx context.Context) {
	for ctx.Err() == nil {
		found := x.removal.Raised()
		if !x.removalsWait() {
			Sleep(ctx, removalWait, found)
			continue
		}
		begun := time.Now()
		for Sleep(ctx, removalQuiet); ctx.Err() == nil && time.Since(begun) < removalWait && x.working(ctx); {
			Sleep(ctx, removalQuiet)
		}
		x.Health.Stored(x.judgeRemovals(ctx))
	}
}
