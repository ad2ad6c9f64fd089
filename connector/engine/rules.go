package engine

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// followRules makes due what changed rules affect. It stores the new rules after all marks: the next start
// repeats an interrupted change.
//
// Prices that would move without a changed setting are held. The rulebook says so before the first mark, so
// that the hold survives a crash.
func (x *Engine) followRules(ctx context.Context, now time.Time) error {
	book := x.Rulebook(x.RuleSet)
	before, _, err := publication.MetaRules.Get(ctx, x.Store)
	if err != nil {
		return err
	}
	v, held := book.Revise(before), false
	if v.Unasked || before.Held != "" && before.Held == book.Prices {
		if held, err = x.movesPrices(ctx); err != nil {
			return err
		}
	}
	if held {
		book.Held = book.Prices
	}
	x.ruled.Store(held)
	if book.Same(before) {
		return nil
	}
	if before.Held = book.Held; held {
		if err := publication.MetaRules.Set(ctx, x.Store, before); err != nil {
			return err
		}
	}
	n := 0
	if v.Figures || v.Content {
		n, err = store.ChangeAll(ctx, x.Store, store.Query{}, func(e *store.Entry) bool { return v.Follow(e, now) })
		if err != nil {
			return err
		}
	}
	switch {
	case n == 0:
	case held:
		x.Logger.Warn("prices are made by other rules though no setting has changed: what they move is held until "+
			"`pubsync approve --kind rules`, or declined", "publications", n)
	default:
		x.Logger.Info("rules have changed, publications follow", "publications", n, "settings", v.Set)
	}
	return publication.MetaRules.Set(ctx, x.Store, book)
}

// movesPrices reports whether the rules move a written price, on sale or not.
func (x *Engine) movesPrices(ctx context.Context) (bool, error) {
	for r, err := range store.Records(ctx, x.Store, store.Query{}) {
		if err != nil || x.Settings.Moves(r) {
			return err == nil, err
		}
	}
	return false, nil
}
