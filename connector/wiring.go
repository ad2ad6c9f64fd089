package connector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/drift"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/outbox"
	"github.com/pubsync/pubsync/connector/probe"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/connector/review"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/shopadapter"
)

// New makes a connector. It sends no request and starts no goroutine.
func New(ctx context.Context, o Options) (*Connector, error) {
	switch {
	case o.Store == nil, o.Marketplace == nil, o.Shop == nil:
		return nil, errors.New("new connector: store, marketplace and shop are required")
	case o.Concurrency < 1:
		return nil, fmt.Errorf("new connector: concurrency %d, at least 1 is needed", o.Concurrency)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Webhook.Events == nil {
		o.Webhook.Events = DefaultEvents()
	}
	if o.Grace <= 0 {
		o.Grace = 20 * time.Second
	}
	c := &Connector{
		o:      o,
		health: health.New(o.Logger, o.Redact, o.Store),
		due:    breaker.NewSignal(),
		turn:   make(chan struct{}, 1),
	}
	c.shop.breaker, c.market.breaker = c.newBreakers()
	c.secrets = c.newSecrets()
	c.webhooks.gaps, c.webhooks.share = quota.NewGaps(), &quota.Share{}
	c.metrics = newMetrics()
	c.reporter = outbox.New(outbox.Options{
		Store: o.Store, Market: o.Marketplace, Breaker: c.market.breaker, Waiters: &c.waiters, Health: c.health, Log: o.Logger, Due: c.due, Ready: c.ready,
		Started: c.health.Started(),
	})
	c.sweeper = sweep.New(sweep.Options{
		Store: o.Store, Market: o.Marketplace.Reader, Breaker: c.market.breaker, Waiters: &c.waiters, Health: c.health, Log: o.Logger, Brake: o.Brake,
		Hints: c.webhooks.share, Due: c.due, Owed: c.reporter.Notify, Prepare: c.prepareSweep,
		Metrics: sweepRecorder{
			c.metrics,
			c.remember,
		}, Incremental: o.Sweep, Full: o.Resync, Install: o.Install, Variants: o.Variants,
	})
	c.takeover = takeover.New(takeover.Options{
		Store: o.Store, Market: o.Marketplace.Reader, Shop: c.secrets.Shop, Breaker: c.shop.breaker, Health: c.health, Log: o.Logger, Known: c.sweeper.BelongTo,
	})
	c.market.directory = directory.New(directory.Options{
		Store: o.Store, Market: o.Marketplace.Reader, Language: languageOf(o.Rules), Install: o.Install, StoreFailed: c.health.StoreFailed, Log: o.Logger,
	})
	c.worker = worker.New(worker.Options{
		Store: o.Store, Market: o.Marketplace.Reader, Shop: c.secrets.Shop, ShopBreaker: c.shop.breaker, MarketBreaker: c.market.breaker, Waiters: &c.waiters,
		Decider: cmp.Or(
			o.decider,
			worker.Decider(publication.NewDecider(c.settings())),
		), Health: c.health, Log: o.Logger, Metrics: c.metrics,
		Hints: c.webhooks.share, Gaps: c.webhooks.gaps, Due: c.due, Reports: c.reporter, Removals: c.sweeper, Directory: c.market.directory, Ready: c.ready, BeforeWrite: func(ctx context.Context) error { return c.shop.prober.BeforeWrite(ctx) }, Concurrency: o.Concurrency, Scarce: o.scarce,
	})
	c.registerGauges()
	c.webhooks.refusals = listener.NewRefusals(o.Store, c.health.StoreFailed, o.Logger)
	c.wireShop()
	c.wireMarket()
	c.wireWebhooks()
	c.wireApp(ctx)
	c.health.OnPanic(c.metrics.panics.Inc)
	c.health.OnStoreBack(c.wakeAll)
	c.health.Progressed(time.Now())
	return c, nil
}

// prepareSweep readies the store for a list, and has the shop's word asked for before what is found
// in it is written.
func (c *Connector) prepareSweep(ctx context.Context) error {
	c.shop.prober.DoubtWord()
	return c.takeover.Prepare(ctx)
}

// settings is what decides about a publication.
func (c *Connector) settings() publication.Settings {
	return publication.Settings{
		Rules: c.o.Rules, Brake: c.o.Brake, OnRemoved: c.o.OnRemoved, OnDeleted: c.o.OnDeleted, FailAfter: c.o.FailAfter, RefreshAfter: c.o.RefreshAfter,
		Lists: func() bool { return c.takeover.Lists() }, Backoff: func(attempts int) time.Duration { return breaker.Backoff(attempts, c.waiters.MaxBackoff()) },
	}
}

func (c *Connector) newBreakers() (shop, market *breaker.Breaker) {
	_, checked := c.o.Shop.(shopadapter.Checker)
	shop = breaker.New(breaker.Options{
		Side: breaker.Shop, Log: c.o.Logger, Most: c.waiters.MaxBackoff, Checked: checked, Memory: c.o.Store, MemoryFailed: c.health.StoreFailed,
	})
	market = breaker.New(breaker.Options{
		Side: breaker.Marketplace, Log: c.o.Logger, Most: c.waiters.MaxBackoff, Memory: c.o.Store, MemoryFailed: c.health.StoreFailed,
	})
	return shop, market
}

func (c *Connector) newSecrets() *secrets.Keeper {
	return secrets.New(secrets.Options{
		First: secrets.Set{
			WebhookSecret: c.o.Webhook.Secret,
			PathToken:     c.o.Webhook.PathToken,
			AdminToken:    c.o.Admin.Token,
			ClientSecret:  c.appSecret(),
			Shop:          c.o.Shop,
		},
		Read: c.o.Reread, Market: c.o.Marketplace, BeforeMarketplace: c.market.breaker, BeforeShop: c.shop.breaker, Log: c.o.Logger,
		ShopRenewed: func(ctx context.Context) { c.shop.prober.Unblock(ctx) },
		AppRenewed:  c.offerSecret,
		AppProved:   c.proveSecret,
		TokenRenewed: func(ctx context.Context) { // the store belongs to one account: the next sweep asks whose token this is
			c.takeover.Doubt()
			c.sweeper.DoubtVariants()
			c.market.directory.Forget(ctx)
			c.sweeper.Request(false)
		},
	})
}

// languageOf is the shop's language: the first of those that are asked for.
func languageOf(r publication.Rules) string {
	if len(r.Languages) == 0 {
		return ""
	}
	return r.Languages[0]
}

func (c *Connector) wireShop() {
	s := &c.shop
	s.prober = probe.New(probe.Options{
		Shop: c.secrets.Shop, Currency: c.o.Currency, Prices: func(ctx context.Context, p shopadapter.Prices) error { return s.review.Prices(ctx, p) }, Resynced: c.sweeper.Resynced(),
		Breaker: s.breaker, Waiters: &c.waiters, Health: c.health, Store: c.o.Store, Log: c.o.Logger, Due: c.due,
		Idle: func(ctx context.Context) bool { return c.worker.Retrying() == 0 && !c.working(ctx) },
	})
	s.drift = drift.New(drift.Options{
		Shop: c.secrets.Shop, Breaker: s.breaker, Health: c.health, Store: c.o.Store, Log: c.o.Logger, Brake: c.o.Brake, Metrics: c.metrics,
		Resynced: c.sweeper.Resynced(), Due: c.due, Owed: c.reporter.Notify,
		Ready: func(ctx context.Context) bool {
			_, full := c.sweeper.Last()
			return !full.At.IsZero() && full.Error == "" && c.ready(ctx)
		},
	})
	s.review = &review.Review{Store: c.o.Store, Shop: c.secrets.Shop, Log: c.o.Logger, Due: c.due}
	s.overdue = outbox.Overdue{
		Store:     c.o.Store,
		Shop:      s.breaker,
		Health:    c.health,
		FailAfter: c.o.FailAfter,
		Owed:      c.reporter.Notify,
	}
}

func (c *Connector) wireMarket() {
	c.market.registration = registration.New(registration.Options{
		URL: c.o.Webhook.URL, Events: c.o.Webhook.Events, Market: c.o.Marketplace, Store: c.o.Store, Breaker: c.market.breaker, Waiters: &c.waiters, Health: c.health, Log: c.o.Logger,
		Renewed:    c.secrets.Renewed(),
		NextResync: func() time.Time { return c.sweeper.Next(true) },
		AskSweep:   func() { c.sweeper.Request(false) },
		Anew:       c.webhooks.refusals.Registered,
	})
}

func (c *Connector) wireWebhooks() {
	c.webhooks.accounts = listener.NewAccounts(c.o.Store, c.health.StoreFailed, c.o.Logger)
	c.webhooks.receiver = listener.NewWebhooks(listener.Options{
		Accounts: c.webhooks.accounts, Refusals: c.webhooks.refusals, Await: c.worker.Await,
		Prefix: c.o.Webhook.Prefix, Doubt: c.secrets.Doubt, Inbox: c.o.Store, Marked: c.due.Raise, Gaps: c.webhooks.gaps, InboxFailed: c.health.StoreFailed, Log: c.o.Logger,
		Secrets: func() (secrets []string, pathToken string) {
			keys := c.secrets.Get()
			return keys.WebhookSecrets(), keys.PathToken
		},
		Signed:   c.secrets.Proved,
		AskSweep: func() { c.sweeper.Ask(sweep.Hinted) },
		Count:    func(result string) { c.metrics.webhooks.WithLabelValues(result).Inc() },
	})
}
