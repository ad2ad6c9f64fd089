// Package takeover readies a store before its first list is read: it ties the store to the account
// of the token, and takes over the listings that the shop holds as ours. So a lost store doubles
// nothing, and listings that another tool made are told from ours.
//
// # What it keeps
//
//   - After a backup was put back every publication is read again and written whole, whatever was
//     written since the backup. Nothing is reported before that look, and nothing is doubled.
package takeover

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

type Options struct {
	Store   store.Store
	Market  *marketplace.Reader
	Shop    func() shopadapter.Adapter
	Breaker *breaker.Breaker // before the shop
	Health  *health.Health
	Log     *slog.Logger
}

// A Keeper readies the store of one worker.
type Keeper struct {
	o       Options
	claimed atomic.Bool // the store is known to belong to the token's account
	mapped  atomic.Bool // what the shop holds as ours is in the store
	noList  atomic.Bool // the shop has turned out to have no list
}

// New makes a keeper. It sends no request.
func New(o Options) *Keeper { return &Keeper{o: o} }

// Prepare readies the store, unless that has been done. It fails with a *store.AccountError where
// the store is another account's, and with a *health.ShopError where the shop cannot be asked.
func (k *Keeper) Prepare(ctx context.Context) error {
	if err := k.claim(ctx); err != nil {
		return err
	}
	return k.takeOver(ctx)
}

func (k *Keeper) Ready() bool {
	return k.claimed.Load() && (k.mapped.Load() || !k.Lists())
}

// Lists reports whether the shop can list what it holds as ours, as far as that is known.
func (k *Keeper) Lists() bool { return !k.noList.Load() }

// Recheck has the next Prepare ask whose token it is, after the token has been renewed.
func (k *Keeper) Recheck() { k.claimed.Store(false) }

func (k *Keeper) claim(ctx context.Context) error {
	if k.claimed.Load() {
		return nil
	}
	account, err := k.o.Market.Account(ctx)
	if err != nil {
		return fmt.Errorf("ask for the account: %w", err)
	}
	if err := store.ClaimAccount(ctx, k.o.Store, account); err != nil {
		return err
	}
	k.claimed.Store(true)
	return nil
}

// takeOver takes over what the shop holds as ours, into a store that holds nothing yet or was put
// back from a backup.
func (k *Keeper) takeOver(ctx context.Context) error {
	if k.mapped.Load() {
		return nil
	}
	done, err := k.o.Store.Meta(ctx, MetaMapped)
	if err != nil {
		return err
	}
	if done == "" {
		n, err := adopt(ctx, k.o.Store, k.o.Shop())
		if errors.Is(err, shopadapter.ErrNoList) {
			done, err = k.o.Store.Meta(ctx, MetaMapped)
		}
		if err != nil {
			k.o.Breaker.Judge("list", breaker.OfShop(err))
			return err
		}
		if n > 0 {
			k.o.Log.Info("took over the listings that the shop holds as ours", "listings", n)
		}
	}
	k.noList.Store(done == listless)
	k.mapped.Store(true)
	return nil
}
