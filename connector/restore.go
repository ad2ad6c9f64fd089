package connector

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/store"
)

// restore goes on where the last process stopped: all that waits is due now. A due time too far
// ahead, set by a clock that was wrong, is brought forward.
func (x *executor) restore(ctx context.Context) error {
	now := time.Now()
	if err := takeover.PutBack(ctx, x.p.Store, x.p.Logger, now); err != nil {
		return err
	}
	left, err := desk.LeftError(ctx, x.p.Store)
	if err != nil {
		return err
	}
	if left.Message != "" {
		x.health.Record(left) // until it is mended
	}
	for _, bring := range []func(context.Context, time.Time) error{x.advance, x.followRules, x.Wake} {
		if err := bring(ctx, now); err != nil { // a full disk does not keep the worker from starting
			x.health.StoreFailed(err)
		}
	}
	return nil
}

// advance brings forward the due times that were set before the clock was set back.
func (x *executor) advance(ctx context.Context, now time.Time) error {
	latest := store.At(now.Add(x.p.Settings.RefreshAfter))
	late := store.DueQuery{Classes: store.AllClasses, From: latest + 1, To: store.Latest}
	return x.bring(ctx, late, func(e *store.Entry) bool {
		if e.Mark == nil || e.Mark.At <= latest || e.Mark.Class != store.ClassRefresh {
			return false
		}
		e.Mark.At = latest
		return true
	})
}

// bring changes the publications of the marks that a query finds.
func (x *executor) bring(ctx context.Context, q store.DueQuery, change func(*store.Entry) bool) error {
	var ids []string
	for m, err := range store.Marks(ctx, x.p.Store, q) {
		if err != nil {
			return err
		}
		ids = append(ids, m.ID)
	}
	for some := range slices.Chunk(ids, 500) {
		if _, err := x.p.Store.Change(ctx, some, change); err != nil {
			return err
		}
	}
	return nil
}

// Wake makes due the publications that wait for another try.
func (x *executor) Wake(ctx context.Context, now time.Time) error {
	err := errors.Join(
		x.bring(ctx, store.DueQuery{Classes: store.Timely, From: store.At(now) + 1, To: store.Latest},
			func(e *store.Entry) bool { return publication.Wake(e, now) }),
		x.bring(ctx, store.DueQuery{
			Classes: store.ClassesOf(store.ClassRefresh), From: store.At(now) + 1, To: store.At(now.Add(breaker.MaxBackoff)),
		}, func(e *store.Entry) bool { return publication.Wake(e, now) }),
	)
	x.reporter.Wake(now)
	x.due.Raise()
	return err
}

// wakeAll makes due what waited for the store.
func (x *executor) wakeAll(ctx context.Context) {
	if err := errors.Join(x.followRules(ctx, time.Now()), x.Wake(ctx, time.Now())); err != nil {
		x.health.StoreFailed(err)
	}
}

// followRules makes the publications due that the rules change which have changed since the last
// process.
func (x *executor) followRules(ctx context.Context, now time.Time) error {
	f, err := rules.Follow(ctx, x.p.Store, &x.p.Settings, x.p.RuleSet, x.p.Writes, now)
	switch {
	case f.Publications == 0:
	case f.Held && !f.Unasked:
		x.p.Logger.Warn(
			"price rules changed for very many products: the prices are held until `pubsync approve --kind rules` lets "+
				"them move, or `pubsync decline --kind rules` leaves them",
			"change", f.Change.String(), "publications", f.Publications,
		)
	case f.Unasked:
		x.p.Logger.Warn(
			"prices are made by other rules though no setting has changed: what they move is held until `pubsync "+
				"approve --kind rules`, or declined",
			"change", f.Change.String(), "publications", f.Publications,
		)
	default:
		x.p.Logger.Info("rules have changed, publications follow", "publications", f.Publications, "settings", f.Set)
	}
	if err != nil {
		return err
	}
	ruling, _, err := rules.Ruling(ctx, x.p.Store)
	x.ruled.Store(ruling != "")
	return err
}
