// Package install installs pubsync as a public app of a marketplace account, by the specified OAuth 2.0
// authorization code flow:
//
//	GET /oauth/install    the application address: redirects to the consent page
//	GET /oauth/callback   the redirect address: exchanges the code for a token, once
//
// A request must be signed with the app's secret, within five minutes of its timestamp. Without account_id,
// timestamp and signature the application address serves people who were not logged in. A state is the digest of a
// secret in a cookie, so that it takes no memory here. A token must have all wanted scopes and belong to the
// store's account.
package install

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

// The addresses, below the public listener's origin.
const (
	Path         = "/oauth/install"
	CallbackPath = "/oauth/callback"
)

const (
	window     = 5 * time.Minute // of a timestamp, either way
	stateLasts = 15 * 60         // seconds to answer the consent page
)

type Options struct {
	ClientID  string
	Secret    string
	AuthURL   string   // of the OAuth screens, without a final slash
	Scopes    []string // each must be granted
	Origin    string   // of the public listener
	AccountID string   // the marketplace's id of the account; "": whichever installs first
	UserAgent string
	Store     store.Store
	Transport http.RoundTripper // of the exchange; nil: sockets

	// whose token it is; "" where the token may not read that
	Account     func(ctx context.Context, token string) (string, error)
	Hide        func(secret string) // called with a token before the others are
	InUse       bool                // the installation's token is used; else a configured one wins
	Installed   func(token string)  // called with a stored token that is in use
	StoreFailed func(error)
	Count       func(result string)
	Log         *slog.Logger
}

type Handler struct {
	Options
	client *wire.Client
	told   rate.Sometimes // of refused installations; strangers are only counted

	mu    sync.Mutex // held for a whole exchange
	spent map[string]bool
	gone  bool
}

// Close waits for an exchange under way, and refuses others: the worker that follows could not know their token.
func (h *Handler) Close() {
	h.mu.Lock()
	h.gone = true
	h.mu.Unlock()
}

func NewHandler(o Options) *Handler {
	return &Handler{
		Options: o, told: rate.Sometimes{Interval: time.Minute}, spent: map[string]bool{},
		client: wire.New(wire.Options{ // follows no redirect with the app's secret
			Peer: "the marketplace", Transport: o.Transport, UserAgent: o.UserAgent, Timeout: exchangeTimeout,
		}),
	}
}

func Serves(path string) bool { return path == Path || path == CallbackPath }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, no := h.verify(r.URL.RawQuery)
	switch begins := r.URL.Path == Path; {
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		no = refuse(http.StatusMethodNotAllowed, "method", "This address takes GET alone.")
	case begins && (no == nil || unsigned(r.URL.RawQuery)):
		h.begin(w, r)
		return
	case no == nil:
		if no = h.finish(w, r, query); no == nil {
			return
		}
		h.told.Do(func() { h.Log.Warn("installation refused", "why", no.result, "reason", no.reason) })
	}
	h.Count("refused_" + no.result)
	Refuse(w, no.status, no.reason)
}

// verify returns the signed parameters. The signature covers all other parameters as they came.
func (h *Handler) verify(query string) (url.Values, *refusal) {
	var kept, signatures []string
	for part := range strings.SplitSeq(query, "&") {
		if value, is := strings.CutPrefix(part, "signature="); is {
			signatures = append(signatures, strings.ToLower(value))
		} else {
			kept = append(kept, part)
		}
	}
	rest := strings.Join(kept, "&")
	params, err := url.ParseQuery(rest)
	if err != nil || h.Secret == "" || len(signatures) != 1 ||
		!hmac.Equal(marketplace.Signature([]byte(h.Secret), []byte(rest)), []byte(signatures[0])) {
		return nil, refuse(http.StatusUnauthorized, "signature", "This request does not carry the marketplace's signature.")
	}
	at, err := strconv.ParseInt(params.Get("timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > window {
		return nil, refuse(http.StatusUnauthorized, "stale",
			"This address is more than five minutes old, or the clock of one of the two sides is wrong.")
	}
	return params, nil
}

// unsigned reports whether a query has nothing of a signed one.
func unsigned(query string) bool {
	params, err := url.ParseQuery(query)
	return err == nil && !params.Has("account_id") && !params.Has("timestamp") && !params.Has("signature")
}

// begin puts the account of the path, if any, before the state, which covers it.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) {
	account, secret := r.PathValue("account"), rand.Text()
	state := stateOf(account, secret)
	h.setCookie(w, state, secret, stateLasts)
	h.Count("begun")
	h.send(w, r, "/oauth/authorize", url.Values{
		"response_type": {"code"}, "client_id": {h.ClientID}, "scope": {strings.Join(h.Scopes, ",")},
		"redirect_uri": {h.Origin + CallbackPath}, "state": {account + "." + state},
	})
}

func stateOf(account, secret string) string {
	sum := sha256.Sum256([]byte(account + "." + secret))
	return hex.EncodeToString(sum[:])
}

// setCookie removes the cookie where seconds are negative. Each state has its own, so that two tabs do not end each
// other's installation.
func (h *Handler) setCookie(w http.ResponseWriter, state, secret string, seconds int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // a public listener without TLS, on loopback, has no secure one
		Name: cookieName(state), Value: secret, Path: "/oauth/", MaxAge: seconds, HttpOnly: true,
		// the redirect comes from another site, as a navigation
		Secure: strings.HasPrefix(h.Origin, "https:"), SameSite: http.SameSiteLaxMode,
	})
}

func cookieName(state string) string { return "pubsync-install-" + state[:min(8, len(state))] }

func (h *Handler) send(w http.ResponseWriter, r *http.Request, path string, query url.Values) {
	guard(w)
	http.Redirect(w, r, h.AuthURL+path+"?"+query.Encode(), http.StatusFound)
}

func (h *Handler) finish(w http.ResponseWriter, r *http.Request, query url.Values) *refusal {
	account, state, _ := strings.Cut(query.Get("state"), ".")
	code := query.Get("code")
	secret, err := r.Cookie(cookieName(state))
	if err != nil || !hmac.Equal([]byte(state), []byte(stateOf(account, secret.Value))) {
		return refuse(http.StatusForbidden, "state",
			"This installation was not begun in this browser, took too long, or was answered before.")
	}
	h.setCookie(w, state, "", -1)
	if query.Get("error") != "" || code == "" {
		return refuse(http.StatusForbidden, "declined", "The app was declined at the marketplace.")
	}
	// The exchange outlives the browser: else the code would be spent and the token lost.
	control, late := http.NewResponseController(w), time.Now().Add(time.Minute)
	//nolint:errcheck // a listener without deadlines needs none
	_ = errors.Join(control.SetReadDeadline(late), control.SetWriteDeadline(late))
	if no := h.install(context.WithoutCancel(r.Context()), code, query.Get("account_id")); no != nil {
		return no
	}
	h.Count("installed")
	h.send(w, r, "/oauth/finish", url.Values{"client_id": {h.ClientID}})
	return nil
}

// A refusal ends an installation before anything is stored.
type refusal struct {
	status int
	result string // the label of the counter
	reason string // for the person
}

func refuse(status int, result, reason string) *refusal { return &refusal{status, result, reason} }

func Refuse(w http.ResponseWriter, status int, reason string) {
	guard(w)
	http.Error(w, "pubsync was not installed, and nothing was stored.\n\n"+reason+"\n\nStart the installation again "+
		"from the app's page at the marketplace, or from the address that pubsync status shows.", status)
}

// Elsewhere has the browser try again, until it reaches the account's process.
func Elsewhere(w http.ResponseWriter) {
	guard(w)
	w.Header().Set("Refresh", "2")
	http.Error(w, "pubsync is not installed yet: this process does not work on the account.\n\nThis page tries again by "+
		"itself, until it reaches the one that does.", http.StatusServiceUnavailable)
}

// guard keeps an address with a code out of caches and other sites' logs.
func guard(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
}
