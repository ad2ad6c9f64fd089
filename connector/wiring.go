package connector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/metrics"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/connector/sweep"
)

// New makes a connector. It sends no request and starts no goroutine.
func New(ctx context.Context, o Options) (*Connector, error) {
	switch {
	case o.Store.KV == nil, o.Marketplace == nil, o.Shop == nil:
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
	c := &Connector{o: o, metrics: metrics.New(), turn: make(chan struct{}, 1)}
	h := health.New(o.Logger, o.Redact, o.Store)
	sides := newSides(o.Shop, h, o.Logger)
	c.secrets = c.newSecrets(sides)
	c.executor = newExecutor(sides, c.parts(h))
	c.webhooks.refusals = listener.NewRefusals(o.Logger)
	c.wireMarket()
	c.wireWebhooks()
	c.wireApp()
	c.metrics.Watch(metrics.Sources{
		Version: o.Version, Store: o.Store, Market: o.Marketplace, ShopSide: c.shop.breaker, MarketSide: c.market.breaker,
		Registration: c.webhooks.registration, Refusals: c.webhooks.refusals, Sweeps: c.sweeper, Worker: c.worker,
		Report: c.reporter, Health: c.health,
	})
	return c, nil
}

// parts are what this connector's executor is made from.
func (c *Connector) parts(h *health.Health) parts {
	o := c.o
	return parts{
		Store: o.Store, Market: o.Marketplace.Reader, Reports: o.Marketplace, Shop: c.secrets.Shop, Keys: c.secrets,
		Metrics: c.metrics, Swept: sweepRecorder{c.metrics, c.remember}, Health: h, Logger: o.Logger,
		Settings: c.rules(), RuleSet: o.RuleSet, Concurrency: o.Concurrency, AllCalls: o.AllCalls,
		Currency: o.Currency, Said: o.Said, Install: o.Install, Sweep: o.Sweep, Resync: o.Resync, Variants: o.Variants,
		Grace: o.Grace, Scarce: o.Scarce, Visitor: o.Visitor, Writes: o.Writes,
	}
}

// rules are the rules for publications. The executor fills in Backoff.
func (c *Connector) rules() publication.Settings {
	return publication.Settings{
		Rules: c.o.Rules, Brake: c.o.Brake, OnRemoved: c.o.OnRemoved, ReportDrift: c.o.ReportDrift,
		FailAfter: c.o.FailAfter, RefreshAfter: c.o.RefreshAfter,
	}
}

func (c *Connector) newSecrets(s sides) *secrets.Keeper {
	return secrets.New(secrets.Options{
		First: secrets.Set{
			WebhookSecret: c.o.Webhook.Secret,
			PathToken:     c.o.Webhook.PathToken,
			AdminToken:    c.o.Admin.Token,
			ClientSecret:  c.appSecret(),
			Shop:          c.o.Shop,
		},
		Read: c.o.Reread, Market: c.o.Marketplace, BeforeMarketplace: s.market.breaker, BeforeShop: s.shop.breaker,
		Log:         c.o.Logger,
		ShopRenewed: func(ctx context.Context) { c.shop.prober.Unblock(ctx) },
		// the store belongs to one account: the next sweep asks whose token this is
		TokenRenewed: func(ctx context.Context) {
			c.takeover.Recheck()
			c.sweeper.RecheckVariants()
			c.market.directory.Forget()
			c.Sweep(false)
		},
	})
}

func (c *Connector) wireMarket() {
	c.webhooks.registration = registration.New(registration.Options{
		URL: c.o.Webhook.URL, Events: c.o.Webhook.Events, Market: c.o.Marketplace, Store: c.o.Store,
		Breaker: c.market.breaker, Waiters: c.waiters, Health: c.health, Log: c.o.Logger,
		Renewed:    c.secrets.Renewed(),
		NextResync: func() time.Time { return c.sweeper.Next(true) },
		AskSweep:   func() { c.Sweep(false) },
		Anew:       c.webhooks.refusals.Registered,
	})
}

func (c *Connector) wireWebhooks() {
	c.webhooks.receiver = listener.NewWebhooks(listener.Options{
		Refusals: c.webhooks.refusals,
		Prefix:   c.o.Webhook.Prefix, Inbox: c.o.Store, Marked: c.due.Raise, Gaps: c.gaps,
		InboxFailed: c.health.StoreFailed, Log: c.o.Logger,
		Secrets: func() (secrets []string, pathToken string) {
			keys := c.secrets.Get()
			if keys.WebhookSecret != "" {
				secrets = []string{keys.WebhookSecret}
			}
			return secrets, keys.PathToken
		},
		AskSweep: func() { c.sweeper.Ask(sweep.Hinted) },
		Count:    c.metrics.Webhook,
	})
}
