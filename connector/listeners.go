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

// Listeners are the open sockets that Run serves; each may be nil.
type Listeners struct {
	Webhook net.Listener
	Admin   net.Listener
}

// serve serves the open sockets.
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

// WebhookHandler serves POST /webhooks and POST /webhooks/{path token}, and the installation where
// pubsync is a public app.
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

// AdminHandler serves the admin listener: the API is the desk of this connector.
func (c *Connector) AdminHandler(loopback bool) http.Handler {
	return admin.New(admin.Options{
		Loopback: loopback, Token: func() string { return c.secrets.Load().AdminToken },
		Logger: c.o.Logger, Ready: c.Ready, API: c.Desk().Handler(), Metrics: c.Metrics.Handler(),
		Dashboard: dashboard.Handler(desk.Open(c.Desk()), dashboard.Options{
			Marketplace: c.o.Address, Catalogue: len(c.o.Pages) > 0,
		}), Pages: c.o.Pages,
	})
}

// AccountHandler serves the dashboard and the API of an account below its path, to whoever the admin listener of the
// process has let through. They are made when they are asked: few of many accounts ever are.
func AccountHandler(marketplace string, d *desk.Local) http.Handler {
	made := sync.OnceValue(func() http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/{$}", dashboard.Handler(desk.Open(d), dashboard.Options{Marketplace: marketplace, Accounts: true}))
		mux.Handle("/api/", d.Handler())
		return mux
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { made().ServeHTTP(w, r) })
}
