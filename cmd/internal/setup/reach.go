package setup

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"time"

	"github.com/pubsync/pubsync/connector/listener"
)

// reachOf is the address at which other machines reach the admin listener, "" where they do not: it
// is on loopback, or the stores are this machine's files. A listener on all addresses is reached at
// the one that this machine has on its way to the database.
func (c *Setup) reachOf(ctx context.Context, admin net.Addr) string {
	at, err := netip.ParseAddrPort(admin.String())
	switch {
	case err != nil, c.engine.file, listener.IsLoopback(admin):
		return ""
	case !at.Addr().IsUnspecified():
		return admin.String()
	}
	database, err := url.Parse(c.engine.place)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	way, err := (&net.Dialer{}).DialContext(ctx, "udp", net.JoinHostPort(database.Hostname(), "1")) // sends nothing
	if err != nil {
		return ""
	}
	defer way.Close() //nolint:errcheck // nothing was sent
	local, err := netip.ParseAddrPort(way.LocalAddr().String())
	if err != nil || local.Addr().IsLoopback() {
		return ""
	}
	return netip.AddrPortFrom(local.Addr(), at.Port()).String()
}

// adminOf is the address at which this process can ask the one that has a store, "" for none.
func (c *Setup) adminOf(o owner) string {
	if c.elsewhere(o) {
		return o.Reach
	}
	return o.Admin
}

// errElsewhere is why the process with the store is not asked.
var errElsewhere = errors.New("it runs on another machine, and its admin listener answers there alone: run the " +
	"command on that machine, or set PUBSYNC_ADMIN_LISTEN of all replicas to an address that others reach, and " +
	"PUBSYNC_ADMIN_TOKEN to one token")

const forwardedHeader = "Pubsync-Forwarded"

// peerWait bounds the attempt to reach another process.
const peerWait = 5 * time.Second

// newForwarder makes what hands requests on to the process that has an account.
func (h *house) newForwarder() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: &http.Transport{ // no proxy: the processes are in one network
			DialContext: (&net.Dialer{Timeout: peerWait}).DialContext, IdleConnTimeout: time.Minute,
		},
		FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			peer, _ := p.In.Context().Value(peerKey{}).(string)
			p.Out.URL.Scheme, p.Out.URL.Host = "http", peer
			p.Out.Header.Del("Origin") // this process has judged it
			if at, err := netip.ParseAddrPort(peer); err == nil && at.Addr().IsLoopback() {
				p.Out.Host = peer
			}
			p.Out.Header.Set(forwardedHeader, "true")
			if h.AdminToken != "" {
				p.Out.Header.Set("Authorization", "Bearer "+h.AdminToken)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			h.log.Warn("the process that has an account cannot be asked", "path", r.URL.Path, "error", err)
			http.Error(w, "the process that works on the account cannot be reached from this one; its accounts move to "+
				"others within 15 s if it is gone", http.StatusBadGateway)
		},
		ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
}

type peerKey struct{}

// forward hands a request on to the admin listener of the process that has the account, and reports
// whether there is one that can be asked. A request that was handed on goes no further.
func (h *house) forward(w http.ResponseWriter, r *http.Request, o owner) bool {
	peer := h.adminOf(o)
	if peer == "" || o.text() == h.owner.text() || r.Header.Get(forwardedHeader) != "" {
		return false
	}
	h.peers.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, peer)))
	return true
}

// holderOf is the process that works on an account, the zero owner where that is not known.
func (h *house) holderOf(ctx context.Context, account string) (o owner) {
	if held, err := h.db.HolderOf(ctx, account); err == nil && held.Held {
		o = ownerIn(held.Owner)
	}
	return o
}
