package connector

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/registration"
)

// Options make a Connector.
type Options struct {
	engine.Options // New fills in Market and Reports

	Marketplace *marketplace.Client

	WebhookSecret, WebhookPathToken string // "": such webhooks are not accepted
	WebhookPrefix                   string // of the marketplace's headers
	WebhookURL                      string // to register; empty: none
	WebhookEvents                   []string
	AdminToken                      string

	App   *install.Options        // nil: no public app. New fills in what the connector has
	Desk  *desk.Local             // New fills in store, rules and worker; may be nil
	Pages map[string]http.Handler // of the admin listener, by pattern; not nil: a demo
}

// A Connector is an engine with webhooks and an admin listener. A worker with other secrets is another Connector.
type Connector struct {
	*engine.Engine

	o            Options
	registration *registration.Keeper
	receiver     *listener.Webhooks
	app          *install.Handler // nil: no public app
	renewed      engine.Signal    // raised by a new token
	desk         *desk.Local
}

// New makes a connector. It sends no request and starts no goroutine.
func New(o Options) *Connector {
	o.Market, o.Reports = o.Marketplace.Reader, o.Marketplace
	c := &Connector{Engine: engine.New(o.Options)}
	o.Options = c.Options
	c.o = o
	c.registration = registration.New(registration.Options{
		URL: o.WebhookURL, Events: o.WebhookEvents, Market: o.Marketplace, Engine: c.Engine, Renewed: &c.renewed,
	})
	c.receiver = listener.NewWebhooks(listener.Options{
		Prefix: o.WebhookPrefix, Inbox: o.Store, Marked: c.Wake, LookAt: c.LookAt,
		InboxFailed: c.Health.Stored, Log: o.Logger, AskSweep: c.Hinted, Count: c.Metrics.Webhook,
		Secrets: func() ([]string, string) { return []string{o.WebhookSecret}, o.WebhookPathToken },
	})
	if o.App != nil {
		c.app = c.newApp(*o.App)
	}
	c.desk = cmp.Or(o.Desk, &desk.Local{})
	c.desk.Store, c.desk.Rules, c.desk.Worker = o.Store, o.Rules, deskWorker{c}
	c.Watch(func() bool { return c.registration.Status().Active },
		func() int { return c.receiver.Refused().InARow })
	return c
}

func (c *Connector) newApp(o install.Options) *install.Handler {
	o.Store, o.StoreFailed, o.Count, o.Log = c.o.Store, c.Health.Stored, c.Metrics.Installation, c.o.Logger
	o.Installed = func(token string) {
		c.o.Marketplace.SetToken(token)
		c.TokenRenewed() // it may be the one in use, refused until now
		c.MarketSide.Release()
		c.renewed.Raise()
	}
	return install.NewHandler(o)
}

// Run serves the listeners and works until ctx ends. It returns nil after a drain, else the error that kept it from
// starting or ended it.
func (c *Connector) Run(ctx context.Context, l *Listeners) error {
	return c.Engine.Run(ctx, func() func(time.Duration) {
		l.Serve(c.o.Logger, c.WebhookHandler(), c.AdminHandler)
		if l.Follows != nil { // the handlers before may still accept what wakes only their worker
			time.AfterFunc(listener.ReadTimeout, c.Wake)
		}
		return func(grace time.Duration) {
			if c.app != nil {
				c.app.Close()
			}
			if l.Follows == nil || !l.Follows() {
				l.Shutdown(grace)
			}
		}
	}, c.registration.Run)
}

// Desk returns the connector's desk.
func (c *Connector) Desk() *desk.Local { return c.desk }

type deskWorker struct{ *Connector }

// Tell adds what only the worker knows.
func (w deskWorker) Tell(_ context.Context, s *desk.Status) error {
	w.Engine.Tell(s)
	s.Webhook = w.registration.Status()
	s.Webhook.URL, s.Webhook.Error = w.o.Redact(s.Webhook.URL), w.o.Redact(s.Webhook.Error) // a path token is in it
	s.Webhook.Refused = w.receiver.Refused()
	return nil
}

// Run makes a single run within the worker, or queues a person's sweep.
func (w deskWorker) Run(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	if !o.Wait {
		return desk.Summary{}, w.SweepNow(ctx, o.Full)
	}
	s, _ := w.RunOnce(ctx, o) //nolint:errcheck // the summary carries it
	return s, nil
}

// Listeners are the sockets of a process. They outlast a connector that another one follows.
type Listeners struct {
	Webhook, Admin net.Listener // each may be nil
	Follows        func() bool  // whether another connector takes over from one that ends; nil: none does

	servers       listener.Servers
	public, admin door
}

// A door hands requests on to the handler of the moment.
type door struct{ to atomic.Pointer[http.Handler] }

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*d.to.Load()).ServeHTTP(w, r) }

// lead reports whether the door is new.
func (d *door) lead(h http.Handler) bool { return d.to.Swap(&h) == nil }

// Serve has the sockets served by these handlers from now on.
func (l *Listeners) Serve(log *slog.Logger, public http.Handler, adminOf func(loopback bool) http.Handler) {
	if l.Webhook != nil && l.public.lead(public) {
		l.servers.Serve(log, l.Webhook, &l.public, 256, 10*time.Second)
	}
	if l.Admin != nil && l.admin.lead(adminOf(admin.IsLoopback(l.Admin.Addr().String()))) {
		l.servers.Serve(log, l.Admin, &l.admin, 64, time.Minute)
	}
}

// Shutdown ends serving, and cuts off requests that do not end within the span.
func (l *Listeners) Shutdown(within time.Duration) { l.servers.Shutdown(within) }

// WebhookHandler serves webhooks, and the installation of a public app.
func (c *Connector) WebhookHandler() http.Handler {
	if c.app == nil {
		return c.receiver
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if install.Serves(r.URL.Path) {
			c.app.ServeHTTP(w, r)
			return
		}
		c.receiver.ServeHTTP(w, r)
	})
}

// AdminHandler serves the admin listener, whose API is this connector's desk.
func (c *Connector) AdminHandler(loopback bool) http.Handler {
	pages := map[string]http.Handler{
		"/api/": c.Desk().Handler(), "GET /metrics": c.Metrics.Handler(),
		"/{$}": dashboard.Handler(c.Desk(), dashboard.Options{
			Demo: c.o.Pages != nil, Catalogue: len(c.o.Pages) > 0,
		}),
	}
	maps.Copy(pages, c.o.Pages)
	return admin.New(admin.Options{
		Loopback: loopback, Token: c.o.AdminToken, Logger: c.o.Logger, Ready: c.Ready, Pages: pages,
	})
}

// AccountHandler serves an account's dashboard and API to callers that the admin listener let through.
func AccountHandler(d *desk.Local) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/{$}", dashboard.Handler(d, dashboard.Options{Accounts: true}))
	mux.Handle("/api/", d.Handler())
	return mux
}
