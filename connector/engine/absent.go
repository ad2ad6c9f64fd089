package engine

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

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
	gone := make([]bool, len(unseen))
	all, asking := errgroup.WithContext(ctx)
	all.SetLimit(looksTogether) // one after another they would outlast the patience of a run from cron
	for i, id := range unseen {
		all.Go(func() (err error) {
			defer x.Health.recovers(&err, "look", "publication", id)
			entry, err := x.Market.Look(asking, marketplace.Resync, id)
			gone[i] = err == nil && entry == nil
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("ask for absent publications: %w", err)
	}
	var absent []string
	for i, id := range unseen {
		if gone[i] {
			absent = append(absent, id)
		}
	}
	now := time.Now()
	_, err := x.Store.Change(ctx, absent, func(e *store.Entry) bool { return e.Known && publication.Absent(e, now) })
	x.foundRemoval()
	x.due.Raise()
	return err
}

func (x *Engine) judgeRemovals(ctx context.Context) error {
	leave, err := enter(ctx, x.whole.turn)
	if err != nil {
		return nil //nolint:nilerr // the caller is being stopped
	}
	defer leave()
	return x.judgeWaiting(ctx)
}

// judgeWaiting has the brake judge new removals together with those it holds: entries that go one by one are
// part of a mass removal that waits for a person. The caller holds whole.turn.
func (x *Engine) judgeWaiting(ctx context.Context) error {
	if !x.removalsWait() {
		return nil
	}
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
