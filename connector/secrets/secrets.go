// Package secrets holds the secrets in use. It reads them again every ten seconds, when a run meets
// a refused token, and when a person asks for a run, so that a new one needs no restart. A reading
// that fails changes nothing.
package secrets

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/shopadapter"
)

const readEvery = 10 * time.Second

// A Set is the secrets that may change while the worker runs. An empty field means: not changed.
type Set struct {
	MarketplaceToken string
	WebhookSecret    string
	PathToken        string
	AdminToken       string
	ClientSecret     string              // of the public app
	Shop             shopadapter.Adapter // opened with the shop's new credentials; nil where they did not change
}

// Options are what a Keeper is made from.
type Options struct {
	First  Set        // the secrets of the two listeners, and the shop's adapter
	Read   func() Set // reads the secrets and returns those that changed since the last call; may be nil
	Market interface{ SetToken(string) (changed bool) }
	Log    *slog.Logger
	// These end the pause of the side that refused the old credentials.
	ShopRenewed  func(context.Context) // is called after new credentials of the shop
	TokenRenewed func(context.Context) // is called after a new token of the marketplace
}

// A Keeper keeps the secrets in use.
type Keeper struct {
	o       Options
	reading sync.Mutex
	now     atomic.Pointer[Set]
}

// New makes a Keeper.
func New(o Options) *Keeper {
	k := &Keeper{o: o}
	k.now.Store(&o.First)
	return k
}

// Get is the secrets in use. A call of the shop that is under way keeps the adapter that it began
// with.
func (k *Keeper) Get() Set { return *k.now.Load() }

// Run reads the secrets again and again until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for k.o.Read != nil && ctx.Err() == nil {
		engine.Sleep(ctx, readEvery)
		k.Reread(ctx)
	}
}

// Reread reads the secrets again, and reports whether the marketplace's token is new.
func (k *Keeper) Reread(ctx context.Context) (token bool) {
	if k.o.Read == nil || ctx.Err() != nil {
		return false
	}
	fresh := k.read()
	if fresh.Shop != nil {
		k.o.Log.Info("shop's credentials are new, going on with them")
		k.o.ShopRenewed(ctx)
	}
	if !k.o.Market.SetToken(fresh.MarketplaceToken) {
		return false
	}
	k.o.Log.Info("marketplace token is new, going on with it")
	k.o.TokenRenewed(ctx)
	return true
}

// Installed has requests carry the token of an installation. It may be the one in use, which the
// marketplace refused until now.
func (k *Keeper) Installed(ctx context.Context, token string) {
	k.o.Market.SetToken(token)
	k.o.TokenRenewed(ctx)
}

// read returns the new secrets, and puts them in the place of the old ones. A listener without a
// secret gets none: its paths are opened at the start.
func (k *Keeper) read() Set {
	k.reading.Lock()
	defer k.reading.Unlock()
	fresh, next := k.o.Read(), k.Get()
	for old, secret := range map[*string]string{
		&next.WebhookSecret: fresh.WebhookSecret, &next.PathToken: fresh.PathToken,
		&next.AdminToken: fresh.AdminToken, &next.ClientSecret: fresh.ClientSecret,
	} {
		if secret != "" && *old != "" {
			*old = secret
		}
	}
	if fresh.Shop != nil {
		next.Shop = fresh.Shop
	}
	k.now.Store(&next)
	return fresh
}
