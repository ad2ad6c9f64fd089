package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// foundRemoval records that a publication was found that must leave the shop. The brake judges it together
// with others.
func (l *lister) foundRemoval() {
	l.found.Add(1)
	l.removal.Raise()
}

// removalsWait reports whether the brake has removals to judge, or judges them now.
func (l *lister) removalsWait() bool { return l.found.Load() != l.judged.Load() }

// findAbsent asks the marketplace about each publication that a complete enumeration did not meet. Only one for which
// it answers null is gone. An entry without an id may be any publication, and proves that none is absent.
//
// All that is gone is recorded in one transaction: even after a crash the brake judges it together.
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
	looks, err := x.Market.Look(ctx, marketplace.Resync, unseen, false)
	if err != nil {
		return fmt.Errorf("ask for absent publications: %w", err)
	}
	var absent []string
	for _, id := range unseen {
		if entry, answered := looks[id]; answered && entry == nil {
			absent = append(absent, id)
		}
	}
	now := time.Now()
	_, err = x.Store.Change(ctx, absent, func(e *store.Entry) bool { return e.Known && publication.Absent(e, now) })
	x.foundRemoval()
	x.due.Raise()
	return err
}

// judgeRemovals has the brake judge the removals that wait, while no enumeration is under way.
func (x *Engine) judgeRemovals(ctx context.Context) error {
	leave, err := enter(ctx, x.whole.turn)
	if err != nil {
		return nil //nolint:nilerr // the caller is being stopped
	}
	defer leave()
	return x.judgeWaiting(ctx)
}

// judgeWaiting has the brake judge all removals found since it last did, together with those it holds: entries that go
// one by one while a mass removal waits for a person are part of it. No other enumeration is under way.
func (x *Engine) judgeWaiting(ctx context.Context) error {
	if !x.removalsWait() {
		return nil
	}
	found := x.found.Load() // what is found from now on waits for the next
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
	x.judged.Store(found) // only now: a run that ends meanwhile would leave what is due to the next
	x.due.Raise()
	return nil
}

const (
	removalQuiet = 500 * time.Millisecond // between two checks whether the due set is empty
	removalWait  = time.Minute            // how long removals found one by one wait to be judged together
)

// watchRemovals has the removals that looks found one by one judged together.
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
