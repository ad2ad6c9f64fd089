// Package install installs pubsync as a public app of a marketplace account, by OAuth 2.0's authorization code flow:
//
//	GET /oauth/install    the application address: redirects to the consent page
//	GET /oauth/callback   the redirect address: exchanges the code for a token, once
//
// A request must be signed with the app's secret, within five minutes of its timestamp. Without account_id, timestamp
// and signature the application address serves people who were not logged in. A state is the digest of a secret in a
// cookie, which takes no memory here. A token must have all wanted scopes and belong to the store's account.
package install

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

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
	window          = 5 * time.Minute // of a timestamp, either way
	stateLasts      = 15 * 60         // seconds to answer the consent page
	exchangeTimeout = 10 * time.Second
	exchangeAnswer  = 64 << 10 // bytes
	longestToken    = 4 << 10
	accountTimeout  = 8 * time.Second // of Account
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

// setCookie removes the cookie where seconds are negative. Each state has its own: two tabs do not end each other's.
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

// install sends a code once: a marketplace may take back the token of a code that comes again.
func (h *Handler) install(ctx context.Context, code, id string) *refusal {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return refuse(http.StatusServiceUnavailable, "stopping", "pubsync is about to begin anew: load this page again.")
	}
	if h.spent[code] {
		return refuse(http.StatusForbidden, "code", "This code of the marketplace was used before.")
	}
	last, err := Of(ctx, h.Store)
	have, unread := store.Account(ctx, h.Store)
	switch err := errors.Join(err, unread, store.Writable(ctx, h.Store)); { // before the marketplace takes the code
	case err != nil:
		return h.unstored(err)
	case id != "" && last.Account != "" && id != last.Account, h.AccountID != "" && id != h.AccountID:
		return otherAccount()
	}
	h.spent[code] = true
	token, scope, err := h.exchange(ctx, code)
	if err != nil {
		return refuse(http.StatusBadGateway, "exchange", "The marketplace gave no token: "+err.Error()+".")
	}
	h.Hide(token)
	if names := missing(h.Scopes, scope); len(names) > 0 {
		return refuse(http.StatusForbidden, "scope", "Rights were not granted: "+strings.Join(names, ", ")+".")
	}
	asking, cancel := context.WithTimeout(ctx, accountTimeout)
	defer cancel()
	account, asked := h.Account(asking, token)
	switch {
	case asked != nil && (have != "" || marketplace.KindOf(asked) == marketplace.Unauthorized):
		return refuse(http.StatusBadGateway, "token",
			"The marketplace refuses the token that it gave, or did not say whose it is.")
	case account == "" && have != "" && (id == "" || id != last.Account):
		return refuse(http.StatusConflict, "account", "The token does not tell whose it is, and this pubsync works for one "+
			"account already. PUBSYNC_OAUTH_SCOPES must ask for account_read.")
	}
	err = store.ClaimAccount(ctx, h.Store, account)
	if errors.Is(err, store.ErrAccount) {
		return otherAccount()
	}
	if err == nil {
		err = Keep(ctx, h.Store, id, token, h.Secret)
	}
	if err != nil {
		return h.unstored(err)
	}
	h.Log.Info("installed as a public app", "account_id", wire.Line(id, 200, strings.TrimSpace))
	if h.InUse {
		h.Installed(token)
	} else {
		h.Log.Warn("the installation's token is kept, and not used: PUBSYNC_MARKETPLACE_TOKEN is set, and wins")
	}
	return nil
}

func otherAccount() *refusal {
	return refuse(http.StatusConflict, "account", "This pubsync works for another account of the marketplace. Install "+
		"the app for that one, or give this one a pubsync with a store of its own.")
}

func (h *Handler) unstored(err error) *refusal {
	h.StoreFailed(err)
	return refuse(http.StatusServiceUnavailable, "store",
		"The token could not be stored here. Whoever runs this pubsync can see the reason in its log.")
}

// exchange quotes nothing of the answer in its error: it may hold the code or the app's secret.
func (h *Handler) exchange(ctx context.Context, code string) (token, scope string, err error) {
	var answer struct {
		Token string `json:"access_token"`
		Type  string `json:"token_type"`
		Scope string `json:"scope"`
	}
	a, err := h.client.JSON(ctx, http.MethodPost, h.AuthURL+"/oauth/access_token", map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": h.ClientID, "client_secret": h.Secret,
	}, wire.Limits{Bytes: exchangeAnswer}, &answer)
	lost, _ := errors.AsType[*wire.Error](err)
	odd := func(c rune) bool { return c <= ' ' || c > '~' } // not allowed in a header
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "", "", fmt.Errorf("it did not answer within %s", exchangeTimeout)
	case lost != nil && !lost.Unreadable:
		return "", "", errors.New("it cannot be reached, or broke off its answer")
	case a.Status != http.StatusOK && a.Status != http.StatusCreated:
		return "", "", fmt.Errorf("it answered HTTP %d", a.Status)
	case err != nil, answer.Token == "", len(answer.Token) > longestToken, strings.ContainsFunc(answer.Token, odd),
		answer.Type != "" && !strings.EqualFold(answer.Type, "bearer"):
		return "", "", errors.New("its answer is not the JSON of a usable bearer token")
	}
	return answer.Token, answer.Scope, nil
}

// missing returns the scopes not granted. Commas part them, or spaces, as in RFC 6749. A write scope implies reading.
func missing(wanted []string, scope string) (names []string) {
	granted := strings.FieldsFunc(scope, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
	for _, w := range wanted {
		resource, reads := strings.CutSuffix(w, "_read")
		if !slices.Contains(granted, w) && !(reads && slices.Contains(granted, resource+"_write")) {
			names = append(names, w)
		}
	}
	return names
}

const installed store.Fact[Installation] = "installation"

// An Installation has its token sealed with the app's secret, so that copies of the store do not reveal it.
type Installation struct {
	Account string `json:"account,omitempty"` // the marketplace's id
	Sealed  []byte `json:"sealed"`
}

var ErrSealed = errors.New("the token of the installation cannot be read with this PUBSYNC_OAUTH_CLIENT_SECRET: " +
	"install the app again, or set the secret of before")

func Of(ctx context.Context, s store.Store) (i Installation, err error) {
	i, _, err = installed.Get(ctx, s)
	return i, err
}

func (i Installation) Token(secret string) (string, error) {
	token, err := boxOf(secret).Open(nil, nil, i.Sealed, []byte(installed))
	if err != nil {
		return "", ErrSealed
	}
	return string(token), nil
}

func Keep(ctx context.Context, s store.Store, account, token, secret string) error {
	sealed := boxOf(secret).Seal(nil, nil, []byte(token), []byte(installed)) //nolint:gosec // the box makes the nonce
	return installed.Set(ctx, s, Installation{Account: account, Sealed: sealed})
}

func boxOf(secret string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "pubsync token of an installation", 32)
	if err == nil {
		block, _ := aes.NewCipher(key) //nolint:errcheck // the key has a right length
		if box, err := cipher.NewGCMWithRandomNonce(block); err == nil {
			return box
		}
	}
	panic("no cipher for a token")
}
