package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The facts of a store.
const (
	MetaCopied = "copied" // since when it is a copy, which lacks what was done since
	metaMapped = "mapped" // when the shop's listings were taken over

	// listless is the value of metaMapped where the shop has no list. The shop is not asked for one again:
	// a shop that is down would keep the store from its sweeps.
	listless = "no list"
)

// taken is whether the store is ready for a list.
type taken struct {
	claimed atomic.Bool // it is known to belong to the token's account
	mapped  atomic.Bool // what the shop holds as ours is in it
	noList  atomic.Bool // the shop has turned out to have no list
}

func (t *taken) isTaken() bool { return t.claimed.Load() && t.mapped.Load() }

// lists reports whether the shop can list what it holds as ours, as far as that is known.
func (t *taken) lists() bool { return !t.noList.Load() }

// TokenRenewed has it found out again whose the token is, and what it may read.
func (x *Engine) TokenRenewed() {
	x.claimed.Store(false)
	x.renewed.Store(true)
	x.directory.Forget()
	x.AskFor(false)
}

// take is called before any listing. It asks for the marketplace's schema, ties the store to the account of the token,
// and takes over the listings that the shop holds as ours: a lost store doubles nothing. Looks and reports may be made
// from then on. It fails with a *store.AccountError where the store is another account's, and with a *shopError where
// the shop cannot be asked.
func (x *Engine) take(ctx context.Context) error {
	if _, err := x.Market.Probe(ctx); err != nil {
		return err // it says that it is of a probe
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

// adopt takes over what the shop holds as ours, and returns what it records of that.
func (x *Engine) adopt(ctx context.Context) (done string, err error) {
	done = time.Now().UTC().Format(time.RFC3339)
	n := 0
	for listed, err := range x.adapter().List(ctx, shopadapter.Query{}) {
		if errors.Is(err, shopadapter.ErrNoList) {
			return listless, x.Store.SetMeta(ctx, metaMapped, listless)
		}
		if err != nil {
			x.ShopSide.Told(aboutList, err)
			return "", &shopError{op: listShop, err: err}
		}
		secret := func(s string) bool { return x.Redact(s) != s }
		if publication.Unkeepable(listed.Ref, listed.Listing, secret) != nil {
			continue // pubsync makes no such listing
		}
		at := time.Now()
		shown := *publication.ShownAs(listed.Listing, listed.Ref, shopadapter.Prices{})
		adopted, err := x.Store.Change(ctx, []string{string(listed.Ref.Publication)}, func(e *store.Entry) bool {
			return publication.TakeOver(e, shown, at)
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

// putBack readies a backup that replaced the store. The shop is asked anew what it holds as ours. All publications are
// looked at and written whole, and nothing is reported before.
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

// forget forgets the publications that were withdrawn long ago.
func (x *Engine) forget(ctx context.Context) {
	now := time.Now()
	n := x.changeAll(ctx, store.StateWithdrawn, func(e *store.Entry) bool { return publication.Forgets(e, now) })
	if n > 0 {
		x.Logger.Info("forgot withdrawn publications", "publications", n)
	}
}
