// Package secrets holds the secrets in use. It reads them again every ten seconds, when a run meets
// a refused token, and when a person asks for a run, so that a new one needs no restart. A reading
// that fails changes nothing.
package secrets

import (
	"context"
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

// A Keeper keeps the secrets in use.
type Keeper struct {
	read    func() Set // returns the secrets that changed since the last call; nil: they never do
	renewed func(ctx context.Context, fresh Set) (token bool)
	reading sync.Mutex
	now     atomic.Pointer[Set]
}

// New makes a Keeper. renewed is called with what was read, and reports whether the marketplace's token is
// another than the one in use.
func New(first Set, read func() Set, renewed func(ctx context.Context, fresh Set) (token bool)) *Keeper {
	k := &Keeper{read: read, renewed: renewed}
	k.now.Store(&first)
	return k
}

// Get is the secrets in use. A call of the shop that is under way keeps the adapter that it began with.
func (k *Keeper) Get() Set { return *k.now.Load() }

// Run reads the secrets again and again until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for k.read != nil && ctx.Err() == nil {
		engine.Sleep(ctx, readEvery)
		k.Reread(ctx)
	}
}

// Reread reads the secrets again, and reports whether the marketplace's token is new. A listener without
// a secret gets none: its paths are opened at the start.
func (k *Keeper) Reread(ctx context.Context) (token bool) {
	if k.read == nil || ctx.Err() != nil {
		return false
	}
	k.reading.Lock() // of two readings the later one's secrets stay in use
	defer k.reading.Unlock()
	fresh, next := k.read(), k.Get()
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
	return k.renewed(ctx, fresh)
}
