package connector

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
)

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

func (l *Listeners) leave(within time.Duration) {
	if l.Follows == nil || !l.Follows() {
		l.Shutdown(within)
	}
}

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
	return admin.New(admin.Options{
		Loopback: loopback, Token: c.o.Secrets.Admin,
		Logger: c.o.Logger, Ready: c.Ready, API: c.Desk().Handler(), Metrics: c.Metrics.Handler(),
		Dashboard: dashboard.Handler(c.Desk(), dashboard.Options{
			Demo: c.o.Pages != nil, Catalogue: len(c.o.Pages) > 0,
		}), Pages: c.o.Pages,
	})
}

// AccountHandler serves an account's dashboard and API to callers that the admin listener let through. It makes
// them at the first request, since few accounts get one.
func AccountHandler(d *desk.Local) http.Handler {
	made := sync.OnceValue(func() http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/{$}", dashboard.Handler(d, dashboard.Options{Accounts: true}))
		mux.Handle("/api/", d.Handler())
		return mux
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { made().ServeHTTP(w, r) })
}
