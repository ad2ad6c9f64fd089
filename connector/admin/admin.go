package admin

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Options is what the listener serves, and to whom.
type Options struct {
	Loopback    bool          // a foreign Host is refused; a token is needed only if one is set
	Token       func() string // the token in use; if it is empty a listener off loopback refuses everything
	Store       func() string // the path of the worker's store
	StoreHeader string        // the header that names the store a request is for; another store answers 409
	Logger      *slog.Logger  // nil: discards

	Ready     func(context.Context) error // why webhooks cannot be stored; nil: they can
	API       http.Handler                // below /api/
	Metrics   http.Handler
	Dashboard http.Handler
	Pages     map[string]http.Handler // what else is served, by the prefix of its path
	Accounts  http.Handler            // below /accounts/; nil: there is one account
}

type Handler struct {
	Options
	mux      *http.ServeMux
	origins  *http.CrossOriginProtection
	guesses  *throttle
	sessions sessions
}

// New returns the listener's handler. On loopback it refuses a foreign Host. Off loopback, and
// wherever a token is set, every path but the health paths needs the token.
func New(o Options) *Handler {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	h := &Handler{Options: o, mux: http.NewServeMux(), origins: http.NewCrossOriginProtection(), guesses: newThrottle()}
	h.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	h.mux.HandleFunc("GET /readyz", h.readyz)
	h.mux.HandleFunc("POST /login", h.login)
	h.mux.Handle("GET /metrics", o.Metrics)
	h.mux.Handle("GET /{$}", o.Dashboard)
	h.mux.Handle("/api/", o.API)
	if o.Accounts != nil {
		h.mux.Handle("/accounts/", o.Accounts)
	}
	for prefix, page := range o.Pages {
		h.mux.Handle("GET "+prefix, page)
	}
	return h
}

// readyz means that webhooks can be stored, whatever the shop and the marketplace do.
func (h *Handler) readyz(w http.ResponseWriter, r *http.Request) {
	if err := h.Ready(r.Context()); err != nil {
		http.Error(w, "store cannot be written: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	health := r.URL.Path == "/livez" || r.URL.Path == "/readyz"
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	if h.Loopback && !loopbackHost(r.Host) {
		http.Error(w, "this listener answers to loopback host names only", http.StatusMisdirectedRequest)
		return
	}
	if h.foreign(r) {
		http.Error(w, "requests from another origin are refused; a proxy is to hand on Host, or X-Forwarded-Host",
			http.StatusForbidden)
		return
	}
	known, wait := h.Loopback && h.Token() == "", time.Duration(0)
	if !known && !health {
		known, wait = h.authorized(r)
	}
	switch {
	case known:
	case wait > 0:
		http.Error(w, fmt.Sprintf("too many wrong tokens came from your address: try again in %d s", tooMany(w, wait)),
			http.StatusTooManyRequests)
		return
	case health || r.URL.Path == "/login":
	case r.URL.Path == "/" && r.Method == http.MethodGet:
		loginPage(w, http.StatusOK, "")
		return
	default:
		head.Set("WWW-Authenticate", `Bearer realm="pubsync"`)
		http.Error(w, "Authorization: Bearer with the admin token is needed", http.StatusUnauthorized)
		return
	}
	if asked := r.Header.Get(h.StoreHeader); asked != "" && asked != h.Store() {
		http.Error(w, "this worker has another store", http.StatusConflict)
		return
	}
	h.mux.ServeHTTP(w, r)
}
