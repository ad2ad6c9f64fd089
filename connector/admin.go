package connector

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/dashboard"
)

// A Page is something else that the admin listener serves under a path of its own.
type Page struct{ Handler http.Handler }

// An adminServer serves health, metrics, the dashboard and the API.
type adminServer struct {
	c        *Connector
	mux      *http.ServeMux
	loopback bool
	origins  *http.CrossOriginProtection

	mu       sync.Mutex
	sessions map[string]time.Time // of browsers that logged in, until when
}

// AdminHandler serves the admin listener. On loopback a foreign Host is refused; elsewhere all but the health paths asks for the token.
func (c *Connector) AdminHandler(loopback bool) http.Handler {
	a := &adminServer{
		c: c, mux: http.NewServeMux(), loopback: loopback, origins: http.NewCrossOriginProtection(), sessions: map[string]time.Time{},
	}
	a.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	a.mux.HandleFunc("GET /readyz", a.ready)
	a.mux.Handle("GET /metrics", c.metrics.handler())
	a.mux.Handle("GET /{$}", dashboard.Handler())
	a.mux.HandleFunc("POST /login", a.login)
	a.mux.HandleFunc("GET /api/v1/status", a.status)
	a.mux.HandleFunc("GET /api/v1/publications", a.publications)
	a.mux.HandleFunc("GET /api/v1/publications/{id}", a.explain)
	a.mux.HandleFunc("POST /api/v1/publications/{id}/retry", a.retry)
	a.mux.HandleFunc("POST /api/v1/publications/{id}/approve", a.approve)
	a.mux.HandleFunc("POST /api/v1/retry-failed", a.retryFailed)
	a.mux.HandleFunc("POST /api/v1/approve-all", a.approveAll)
	a.mux.HandleFunc("POST /api/v1/sweep", a.sweep)
	a.mux.HandleFunc("POST /api/v1/rebuild", a.rebuild)
	a.mux.HandleFunc("GET /api/v1/backup", a.backup)
	for path, page := range c.admin.Pages {
		a.mux.Handle("GET "+path, page.Handler)
	}
	return a
}

func (a *adminServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	health := r.URL.Path == "/livez" || r.URL.Path == "/readyz"
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	if a.loopback && !loopbackHost(r.Host) {
		http.Error(w, "this listener answers to loopback host names only", http.StatusMisdirectedRequest)
		return
	}
	if a.foreign(r) {
		http.Error(w, "requests from another origin are refused", http.StatusForbidden)
		return
	}
	switch {
	case a.loopback || a.authorized(r):
		if r.ContentLength == 0 { // one that still sends may be sending for ever
			stay(r)
		}
	case health || r.URL.Path == "/login":
	case r.URL.Path == "/" && r.Method == http.MethodGet:
		a.loginPage(w, http.StatusOK, "")
		return
	default:
		h.Set("WWW-Authenticate", `Bearer realm="pubsync"`)
		http.Error(w, "Authorization: Bearer with the admin token is needed", http.StatusUnauthorized)
		return
	}
	if asked := r.Header.Get(StoreHeader); asked != "" && asked != a.c.store.Path() {
		http.Error(w, "this worker has another store", http.StatusConflict)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// foreign reports whether a browser sends the request on behalf of a page that is not ours. Reading is refused too: a backup costs a copy of the store,
// whoever may see it. What a person follows a link to is not.
func (a *adminServer) foreign(r *http.Request) bool {
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" &&
		!strings.HasPrefix(r.URL.Path, "/api/") {
		return false
	}
	changing := http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Host, Header: r.Header}
	return a.origins.Check(&changing) != nil
}

// loopbackHost reports whether a Host header names this machine and nothing that a foreign page's name could be pointed at.
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}
