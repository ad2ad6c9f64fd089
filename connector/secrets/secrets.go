package secrets

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
)

// A Set is the secrets that may change while the worker runs. An empty field means: not changed.
type Set struct {
	MarketplaceToken string
	WebhookSecret    string
	PathToken        string
	AdminToken       string
	ClientSecret     string              // of the public app
	Shop             shopadapter.Adapter // opened with the shop's new credentials; nil where they did not change
	// settings of the shop that have another value in the files now: they wait for the next start
	Later []string
}

// readEvery is the time between two readings.
const readEvery = 10 * time.Second

// Options are what a Keeper is made from.
type Options struct {
	First Set        // the secrets of the two listeners, and the shop's adapter
	Read  func() Set // reads the secrets and returns those that changed since the last call; may be nil

	Market            interface{ SetToken(string) (changed bool) }
	BeforeMarketplace *breaker.Breaker
	BeforeShop        *breaker.Breaker
	Log               *slog.Logger
	ShopRenewed       func(context.Context) // is called after new credentials of the shop
	TokenRenewed      func(context.Context) // is called after a new token of the marketplace
}

// A Keeper keeps the secrets in use. It reads them again every ten seconds, when a run meets a
// refused token, and when a person asks for a run. A reading that fails changes nothing.
type Keeper struct {
	o Options

	now  atomic.Pointer[Set]
	shop atomic.Pointer[shopadapter.Adapter]

	reading *semaphore.Weighted // of 1: one reading at a time
	renewed *breaker.Signal     // raised when the marketplace's token is new
}

// New makes a Keeper.
func New(o Options) *Keeper {
	k := &Keeper{o: o, renewed: breaker.NewSignal(), reading: semaphore.NewWeighted(1)}
	k.now.Store(&o.First)
	k.shop.Store(&o.First.Shop)
	return k
}

// Get is the secrets of the two listeners.
func (k *Keeper) Get() Set { return *k.now.Load() }

// Shop is the shop's adapter, opened with the credentials in use. A call under way keeps those that
// it began with.
func (k *Keeper) Shop() shopadapter.Adapter { return *k.shop.Load() }

// Renewed is raised when the marketplace's token is new.
func (k *Keeper) Renewed() *breaker.Signal { return k.renewed }

// Run reads the secrets again and again until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for k.o.Read != nil && ctx.Err() == nil {
		breaker.Sleep(ctx, readEvery)
		k.Reread(ctx)
	}
}

// Reread reads the secrets again, and reports whether the marketplace's token is new. New
// credentials end the pause of the side that refused the old ones.
func (k *Keeper) Reread(ctx context.Context) (token bool) {
	if k.o.Read == nil {
		return false
	}
	fresh := k.read(ctx)
	if fresh.Shop != nil {
		k.shop.Store(&fresh.Shop)
		k.o.Log.Info("shop's credentials are new, going on with them")
		k.o.BeforeShop.Release()
		k.o.ShopRenewed(ctx)
	}
	if !k.o.Market.SetToken(fresh.MarketplaceToken) {
		return false
	}
	k.o.Log.Info("marketplace token is new, going on with it")
	k.goOn(ctx)
	return true
}

// Installed has requests carry the token of an installation. That may be the one in use, which the
// marketplace refused until now.
func (k *Keeper) Installed(ctx context.Context, token string) {
	k.o.Market.SetToken(token)
	k.goOn(ctx)
}

// goOn ends the pause of the marketplace, since the token is good.
func (k *Keeper) goOn(ctx context.Context) {
	k.o.TokenRenewed(ctx)
	k.o.BeforeMarketplace.Release()
	k.renewed.Raise()
}

// read returns the new secrets, and has the listeners use theirs. A listener without a secret gets
// none: its paths are opened at the start. It returns no secrets where ctx ends before the reading.
func (k *Keeper) read(ctx context.Context) Set {
	if k.reading.Acquire(ctx, 1) != nil {
		return Set{}
	}
	defer k.reading.Release(1)
	fresh := k.o.Read()
	next := k.Get()
	for _, s := range []struct {
		old *string
		new string
	}{
		{&next.WebhookSecret, fresh.WebhookSecret},
		{&next.PathToken, fresh.PathToken},
		{&next.AdminToken, fresh.AdminToken},
		{&next.ClientSecret, fresh.ClientSecret},
	} {
		if s.new != "" && *s.old != "" {
			*s.old = s.new
		}
	}
	next.Later = fresh.Later
	k.now.Store(&next)
	return fresh
}
