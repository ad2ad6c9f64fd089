package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Facts of a store.
const (
	MetaCopied = "copied" // since when the store is a copy
	metaMapped = "mapped" // when the shop's listings were taken over

	// listless is metaMapped where the shop has no list. The shop is not asked again: one that is down would hold
	// up sweeps.
	listless = "no list"
)

// TokenRenewed has the next sweep check whose account the token is of, and what it may read.
func (x *Engine) TokenRenewed() {
	x.claimed.Store(false)
	x.renewed.Store(true)
	x.AskFor(false)
}

// take readies the store before any sweep; looks and reports wait for it. It ties the store to the token's
// account, and takes over the shop's listings, so that a lost store duplicates none. It fails with
// store.ErrAccount or a *shopError.
func (x *Engine) take(ctx context.Context) error {
	if _, err := x.Market.Probe(ctx); err != nil {
		return err // the error names the probe
	}
	leave, err := enter(ctx, x.taking)
	if err != nil {
		return err
	}
	defer leave()
	if !x.claimed.Load() {
		account, err := x.Market.Account(ctx)
		if err != nil {
			return fmt.Errorf("ask for the account: %w", err)
		}
		if err := store.ClaimAccount(ctx, x.Store, account); err != nil {
			return err
		}
		x.claimed.Store(true)
	}
	if !x.mapped.Load() {
		done, err := x.Store.Meta(ctx, metaMapped)
		if err == nil && done == "" {
			done, err = x.adopt(ctx)
		}
		if err != nil {
			return err
		}
		x.noList.Store(done == listless)
		x.mapped.Store(true)
	}
	x.Wake()
	return nil
}

// adopt takes over the shop's listings, and returns the new metaMapped.
func (x *Engine) adopt(ctx context.Context) (done string, err error) {
	done = time.Now().UTC().Format(time.RFC3339)
	shown, err := x.shown(ctx, shopadapter.Query{}, silence)
	switch {
	case errors.Is(err, shopadapter.ErrNoList):
		return listless, x.Store.SetMeta(ctx, metaMapped, listless)
	case err != nil:
		x.ShopSide.Told(aboutList, err)
		return "", &shopError{op: "list what the shop holds", err: err}
	}
	n, now := 0, time.Now()
	for some := range slices.Chunk(slices.Collect(maps.Keys(shown)), mostSettled) {
		adopted, err := x.Store.Change(ctx, some, func(e *store.Entry) bool {
			return publication.TakeOver(e, *shown[e.Record.ID], now)
		})
		if err != nil {
			return "", err
		}
		n += adopted
	}
	if n > 0 {
		x.Logger.Info("took over the listings that the shop holds as ours", "listings", n)
	}
	return done, x.Store.SetMeta(ctx, metaMapped, done)
}

// putBack readies a backup that replaced the store. The shop's listings are taken over again, and all
// publications are written whole before any report.
func (x *Engine) putBack(ctx context.Context, now time.Time) error {
	copied, err := x.Store.Meta(ctx, MetaCopied)
	if err != nil || copied == "" {
		return err
	}
	x.Logger.Warn("the store is a backup: all is read again and written whole", "backup", copied)
	if _, err := store.ChangeAll(ctx, x.Store, store.Query{}, func(e *store.Entry) bool {
		publication.Suspect(e, now)
		return true
	}); err != nil {
		return err
	}
	if err := x.Store.SetMeta(ctx, metaMapped, ""); err != nil {
		return err
	}
	return x.Store.SetMeta(ctx, MetaCopied, "")
}

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
