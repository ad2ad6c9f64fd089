package connector

import (
	"net"
	"net/http"
	"sync"

	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
)

// Listeners are the sockets that Run serves; each may be nil.
type Listeners struct {
	Webhook net.Listener
	Admin   net.Listener
}

func (c *Connector) serve(l Listeners) *listener.Servers {
	s := &listener.Servers{}
	if l.Webhook != nil {
		s.Public(c.o.Logger, l.Webhook, c.WebhookHandler())
	}
	if l.Admin != nil {
		s.Admin(c.o.Logger, l.Admin, c.AdminHandler(admin.IsLoopback(l.Admin.Addr().String())))
	}
	return s
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
