package connector

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/registration"
)

// A Connector is an engine with webhooks, an admin listener and secrets that change.
type Connector struct {
	*engine.Engine

	o            Options
	reading      sync.Mutex // while secrets are read again
	secrets      atomic.Pointer[Secrets]
	registration *registration.Keeper
	receiver     *listener.Webhooks
	app          *install.Handler // nil: no public app
	renewed      *engine.Signal   // raised by a new token
	desk         *desk.Local
}

// New makes a connector. It sends no request and starts no goroutine.
func New(_ context.Context, o Options) (*Connector, error) {
	switch {
	case o.Store.KV == nil, o.Marketplace == nil, o.Shop == nil:
		return nil, errors.New("new connector: store, marketplace and shop are required")
	case o.Concurrency < 1:
		return nil, fmt.Errorf("new connector: concurrency %d, at least 1 is needed", o.Concurrency)
	}
	if o.Webhook.Events == nil {
		o.Webhook.Events = DefaultEvents()
	}
	o.Market, o.Reports = o.Marketplace.Reader, o.Marketplace
	c := &Connector{Engine: engine.New(o.Options)}
	o.Options = c.Options
	c.o = o
	c.renewed = engine.NewSignal()
	c.secrets.Store(&o.First)
	c.Secrets = c.reread
	c.registration = registration.New(registration.Options{
		URL: o.Webhook.URL, Events: o.Webhook.Events, Market: o.Marketplace, Engine: c.Engine, Renewed: c.renewed,
	})
	c.receiver = listener.NewWebhooks(listener.Options{
		Prefix: o.Webhook.Prefix, Inbox: o.Store, Marked: c.Wake, LookAt: c.LookAt,
		InboxFailed: c.Health.Stored, Log: o.Logger, Secrets: c.webhookSecrets, AskSweep: c.Hinted,
		Count: c.Metrics.Webhook,
	})
	c.app = c.newApp()
	if c.desk = o.Desk; c.desk == nil {
		c.desk = &desk.Local{}
	}
	w := deskWorker{c}
	c.desk.Store, c.desk.Rules, c.desk.Worker = o.Store, o.Rules, w
	c.Watch(func() bool { return c.registration.Status().Active },
		func() int { return c.receiver.Refused().InARow })
	return c, nil
}

func (c *Connector) tokenRenewed() {
	c.TokenRenewed()
	c.MarketSide.Release()
	c.renewed.Raise()
}

func (c *Connector) webhookSecrets() (secrets []string, pathToken string) {
	keys := c.secrets.Load()
	if keys.WebhookSecret != "" {
		secrets = []string{keys.WebhookSecret}
	}
	return secrets, keys.PathToken
}

// newApp returns nil without an App. An installation's token is used at once, unless a configured one wins.
func (c *Connector) newApp() *install.Handler {
	if c.o.App == nil {
		return nil
	}
	o := *c.o.App
	o.Secret, o.Store = func() string { return c.secrets.Load().ClientSecret }, c.o.Store
	o.StoreFailed, o.Count, o.Log = c.Health.Stored, c.Metrics.Installation, c.o.Logger
	o.Installed = func(_ context.Context, token string) {
		if !o.InUse {
			c.o.Logger.Warn("the installation's token is kept, and not used: PUBSYNC_MARKETPLACE_TOKEN is set, and wins")
			return
		}
		c.o.Marketplace.SetToken(token)
		c.tokenRenewed() // it may be the one in use, refused until now
	}
	return install.NewHandler(o.Options)
}

// Run serves the listeners and works until ctx ends. It returns nil after a drain, else the error that kept it from
// starting or ended it.
func (c *Connector) Run(ctx context.Context, l Listeners) error {
	return c.Engine.Run(ctx, func() func(time.Duration) { return c.serve(l).Shutdown }, c.registration.Run, c.watchSecrets)
}
