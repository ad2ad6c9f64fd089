// Package admin is the admin listener: health, metrics, dashboard and API. It refuses a foreign Host on loopback,
// and other origins everywhere. Off loopback, or if a token is set, all but health needs the token or a login
// session.
package admin

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Options is what the listener serves, and to whom.
type Options struct {
	Loopback bool   // then a token is needed only if one is set
	Token    string // without one, a listener off loopback refuses all but health
	Logger   *slog.Logger

	Ready func(context.Context) error // why webhooks cannot be stored
	Pages map[string]http.Handler     // by pattern: API, metrics, dashboard and more
}

type Handler struct {
	Options
	mux     *http.ServeMux
	origins http.CrossOriginProtection
	told    rate.Sometimes // of wrong tokens
}

func New(o Options) *Handler {
	h := &Handler{Options: o, mux: http.NewServeMux(), told: rate.Sometimes{Interval: time.Minute}}
	h.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	h.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := o.Ready(r.Context()); err != nil {
			http.Error(w, "store cannot be written: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	h.mux.HandleFunc("POST /login", h.login)
	for pattern, page := range o.Pages {
		h.mux.Handle(pattern, page)
	}
	return h
}

// largestBody is in bytes: a request may name many publications.
const largestBody = 8 << 20

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, largestBody)
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	switch health := r.URL.Path == "/livez" || r.URL.Path == "/readyz"; {
	case h.Loopback && !IsLoopback(r.Host):
		http.Error(w, "this listener answers to loopback host names only", http.StatusMisdirectedRequest)
	case h.foreign(r):
		http.Error(w, "requests from another origin are refused; a proxy is to hand on Host", http.StatusForbidden)
	case health || r.URL.Path == "/login" || h.Loopback && h.Token == "" || h.authorized(r):
		h.mux.ServeHTTP(w, r)
	case r.URL.Path == "/" && r.Method == http.MethodGet:
		loginPage(w, r.URL.RawQuery, "")
	default:
		head.Set("WWW-Authenticate", `Bearer realm="pubsync"`)
		http.Error(w, "Authorization: Bearer with the admin token is needed", http.StatusUnauthorized)
	}
}

func (h *Handler) authorized(r *http.Request) bool {
	scheme, token, given := strings.Cut(r.Header.Get("Authorization"), " ")
	return h.inSession(r) || given && strings.EqualFold(scheme, "Bearer") && h.isToken(r, token)
}

// isToken compares in constant time. No sender waits after wrong tokens: behind a proxy all have one address.
func (h *Handler) isToken(r *http.Request, token string) bool {
	if h.Token != "" && hmac.Equal([]byte(token), []byte(h.Token)) {
		return true
	}
	h.told.Do(func() { h.Logger.Warn("wrong admin token", "from", r.RemoteAddr) })
	return false
}

// foreign reports whether a browser sends the request for another site's page. Reading is refused too: a backup
// costs a copy of the store. A followed link is not, except to /api/.
func (h *Handler) foreign(r *http.Request) bool {
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document" && !strings.HasPrefix(r.URL.Path, "/api/") {
		return false
	}
	changing := r.WithContext(r.Context())
	changing.Method = http.MethodPost
	return h.origins.Check(changing) != nil
}

// IsLoopback reports whether a host, with or without a port, names this machine other than by DNS.
func IsLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

const (
	sessionCookie = "pubsync_session"
	sessionLasts  = 12 * time.Hour
)

// session returns the cookie's value, valid until a time in Unix seconds. The token signs it: every replica knows that,
// and another token ends it.
func (h *Handler) session(until int64) string {
	mac := hmac.New(sha256.New, []byte(h.Token))
	fmt.Fprint(mac, "session until ", until)
	return fmt.Sprintf("%d.%x", until, mac.Sum(nil))
}

func (h *Handler) inSession(r *http.Request) bool {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil || h.Token == "" {
		return false
	}
	digits, _, _ := strings.Cut(cookie.Value, ".")
	until, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && time.Now().Unix() < until && hmac.Equal([]byte(cookie.Value), []byte(h.session(until)))
}

func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 128<<10) // an address has 32 KiB at most, before it is escaped
	query := r.PostFormValue("query")
	if !h.isToken(r, r.PostFormValue("token")) {
		loginPage(w, query, "That is not the admin token.")
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // secure where the browser says that it speaks TLS
		Name: sessionCookie, Value: h.session(time.Now().Add(sessionLasts).Unix()), Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, MaxAge: int(sessionLasts.Seconds()),
		Secure: strings.HasPrefix(r.Header.Get("Origin"), "https://"), // a proxy may speak TLS
	})
	to := url.URL{Path: "/", RawQuery: query} // never another host
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

//go:embed login.html
var loginText string

var loginForm = template.Must(template.New("").Parse(loginText))

// loginPage keeps the query of the dashboard that was asked for.
func loginPage(w http.ResponseWriter, query, message string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// under no-referrer the form's origin is null, and refused as foreign
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	w.WriteHeader(http.StatusUnauthorized)
	//nolint:errcheck // the browser has gone
	_ = loginForm.Execute(w, map[string]string{"Query": query, "Message": message})
}
