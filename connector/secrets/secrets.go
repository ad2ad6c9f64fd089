package secrets

import (
	"context"
	"log/slog"
	"sync"
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
	FormerSecret     string              // the app's secret before, until the new one is proved; no reading sets it
	Shop             shopadapter.Adapter // opened with the shop's new credentials; nil where they did not change
	// settings of the shop that have another value in the files now: they wait for the next start
	Later []string
}

// AppSecrets is the secrets of the public app that the marketplace may use. The one in the settings
// comes first.
func (s Set) AppSecrets() []string {
	if s.FormerSecret == "" {
		return []string{s.ClientSecret}
	}
	return []string{s.ClientSecret, s.FormerSecret}
}

// WebhookSecrets is the secrets that may sign webhooks, none where no signed ones are accepted.
func (s Set) WebhookSecrets() []string {
	switch s.WebhookSecret {
	case "":
		return nil
	case s.ClientSecret:
		return s.AppSecrets()
	default:
		return []string{s.WebhookSecret}
	}
}

const (
	readEvery = time.Minute      // between two readings
	readSoon  = 10 * time.Second // the same while a secret is refused or suspect
)

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

	// AppRenewed is called with a new secret of the public app, and those that were valid. It
	// reports whether the marketplace is known to use the new one.
	AppRenewed func(ctx context.Context, fresh string, known []string) (proved bool)
	AppProved  func(ctx context.Context, secret string) error // is called with a secret that the marketplace uses
}

// A Keeper keeps the secrets in use. It reads them again every minute, every ten seconds while one
// is refused or suspect, and when a person asks for a run. A reading that fails changes nothing.
type Keeper struct {
	o Options

	now  atomic.Pointer[Set]
	shop atomic.Pointer[shopadapter.Adapter]

	onTrial   atomic.Bool         // this process has not seen the marketplace use the app's secret
	reading   *semaphore.Weighted // of 1: one reading, or one change of the set, at a time
	mu        sync.Mutex
	last      time.Time       // the last reading
	suspect   bool            // a webhook came since that is signed with another secret
	suspicion *breaker.Signal // raised when suspect
	renewed   *breaker.Signal // raised when the marketplace's token is new
}

// New makes a Keeper.
func New(o Options) *Keeper {
	k := &Keeper{
		o: o, last: time.Now(), suspicion: breaker.NewSignal(), renewed: breaker.NewSignal(),
		reading: semaphore.NewWeighted(1),
	}
	k.now.Store(&o.First)
	k.shop.Store(&o.First.Shop)
	k.onTrial.Store(o.First.ClientSecret != "")
	return k
}

// Get is the secrets of the two listeners.
func (k *Keeper) Get() Set { return *k.now.Load() }

// Shop is the shop's adapter, opened with the credentials in use. A call under way keeps those that
// it began with.
func (k *Keeper) Shop() shopadapter.Adapter { return *k.shop.Load() }

// Renewed is raised when the marketplace's token is new.
func (k *Keeper) Renewed() *breaker.Signal { return k.renewed }

// Suspect has the secrets read soon, after a webhook that is signed with another one.
func (k *Keeper) Suspect() {
	if k.o.Read == nil {
		return
	}
	k.mu.Lock()
	k.suspect = true
	k.mu.Unlock()
	k.suspicion.Raise()
}

// Run reads the secrets again and again until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for k.o.Read != nil && ctx.Err() == nil {
		suspicion, now := k.suspicion.Raised(), time.Now()
		market, shop := k.o.BeforeMarketplace.Changed(), k.o.BeforeShop.Changed()
		refused := k.o.BeforeMarketplace.Status(now).Refuses() || k.o.BeforeShop.Status(now).Refuses()
		if wait := k.next(refused).Sub(now); wait > 0 {
			breaker.Sleep(ctx, wait, suspicion, market, shop)
			continue
		}
		k.Reread(ctx)
	}
}

// next is when the secrets are to be read again.
func (k *Keeper) next(refused bool) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	if refused || k.suspect {
		return k.last.Add(readSoon)
	}
	return k.last.Add(readEvery)
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
	if old := k.Get(); old.ClientSecret != next.ClientSecret {
		k.tryApp(ctx, old, &next)
	}
	next.Later = fresh.Later
	k.now.Store(&next)
	k.mu.Lock()
	k.last, k.suspect = time.Now(), false
	k.mu.Unlock()
	return fresh
}

// tryApp accepts a new secret of the app beside the last proved one, since it may be a typo. Where
// the new secret is the proved one, the typo is undone.
func (k *Keeper) tryApp(ctx context.Context, old Set, next *Set) {
	known := old.AppSecrets()
	next.FormerSecret = known[len(known)-1]
	proved := k.o.AppRenewed(ctx, next.ClientSecret, known)
	k.onTrial.Store(!proved)
	if proved || next.ClientSecret == next.FormerSecret {
		next.FormerSecret = ""
		return
	}
	k.o.Log.Info("app's secret is new, the one before holds too until the marketplace has used the new one")
}

// Proved is called with a secret that the marketplace used: it signed a webhook with it, or
// exchanged a code for it.
func (k *Keeper) Proved(ctx context.Context, secret string) {
	if k.onTrial.Load() {
		k.prove(ctx, func(now Set) bool { return secret == now.ClientSecret })
	}
}

// Refused is called with a secret that the marketplace refused. Where that is the former one, only
// the new one stays valid.
func (k *Keeper) Refused(ctx context.Context, secret string) {
	k.prove(ctx, func(now Set) bool { return secret != "" && secret == now.FormerSecret })
}

// prove drops the former secret where proved says that the marketplace uses the new one.
func (k *Keeper) prove(ctx context.Context, proved func(now Set) bool) {
	if k.reading.Acquire(ctx, 1) != nil {
		return
	}
	defer k.reading.Release(1)
	now := k.Get()
	if !proved(now) || k.o.AppProved(ctx, now.ClientSecret) != nil {
		return
	}
	k.onTrial.Store(false)
	if now.FormerSecret != "" {
		now.FormerSecret = ""
		k.now.Store(&now)
		k.o.Log.Info("app's new secret has proved itself, the one before holds no more")
	}
}
