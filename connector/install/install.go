// Package install installs pubsync as a public app of a marketplace account, by the OAuth 2.0
// authorization code flow of the marketplace's specification:
//
//	GET /oauth/install    the application address: redirects to the marketplace's consent page
//	GET /oauth/callback   the redirect address: exchanges the code for a token, once
//
// A request counts only with the signature of the app's secret over its query, and within five
// minutes of its timestamp. At the application address one without account_id, timestamp and
// signature does too: its person was not logged in. A state belongs to the browser that began: it
// is made of a secret in a cookie of that browser and takes no memory here, so that beginning many
// installations ends nobody else's. A token is kept only when every wanted scope was granted, and
// when it belongs to the account of the store, which keeps it sealed with the app's secret.
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
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

// The two addresses, below the origin of the public listener.
const (
	Path         = "/oauth/install"
	CallbackPath = "/oauth/callback"
)

const (
	window     = 5 * time.Minute  // how far the timestamp of a request may be from now, either way
	stateLasts = 15 * time.Minute // how long a person may read the consent page
)

// Options are what a Handler is made from.
type Options struct {
	ClientID  string
	Secret    func() string // of the app
	AuthURL   string        // of the marketplace's OAuth screens, without a final slash
	Scopes    []string      // wanted: each must be granted
	Origin    string        // of the public listener, as a browser reaches it
	UserAgent string
	Store     store.Store
	Transport http.RoundTripper // of the exchange; nil: sockets

	// asks the marketplace whose token it is; "" where the token may not read that
	Account     func(ctx context.Context, token string) (string, error)
	Hide        func(secret string)                     // is called with a token before any other function is
	Installed   func(ctx context.Context, token string) // is called with a token that is stored
	StoreFailed func(error)                             // is called with an error of the store
	Count       func(result string)
	Log         *slog.Logger
}

// A Handler serves the application address and the redirect address.
type Handler struct {
	Options
	client  *wire.Client
	binding sync.Mutex        // one token is judged and stored at a time
	refused health.LogLimiter // of lines about refusals
	strange health.LogLimiter // of lines about strangers, who could crowd out the others

	mu    sync.Mutex
	spent map[[sha256.Size]byte]time.Time // used codes, until when their redirect counts
}

// NewHandler makes a Handler.
func NewHandler(o Options) *Handler {
	return &Handler{Options: o, client: newClient(o.Transport, o.UserAgent), spent: map[[sha256.Size]byte]time.Time{}}
}

// Serves reports whether a path is one of the two addresses.
func Serves(path string) bool { return path == Path || path == CallbackPath }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	params, no := h.verify(r.URL.RawQuery, time.Now())
	said := &h.refused
	switch begins := r.URL.Path == Path; {
	case !Serves(r.URL.Path):
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		no = refuse(http.StatusMethodNotAllowed, "method", "This address takes GET alone.")
	case begins && (no == nil || unsigned(r.URL.RawQuery)):
		h.begin(w, r)
		return
	case no != nil:
		said = &h.strange
	default:
		if no = h.finish(w, r, params); no == nil {
			return
		}
	}
	h.Count("refused_" + no.result)
	if untold, ok := said.Allow(time.Now()); ok {
		h.Log.Warn("installation refused", "why", no.result, "reason", no.Reason, "untold", untold)
	}
	no.show(w)
}

// verify returns the parameters of a raw query that the app's secret signed. The signature covers
// the other parameters as they came.
func (h *Handler) verify(query string, now time.Time) (url.Values, *refusal) {
	var kept, signatures []string
	for part := range strings.SplitSeq(query, "&") {
		if value, is := strings.CutPrefix(part, "signature="); is {
			signatures = append(signatures, value)
		} else {
			kept = append(kept, part)
		}
	}
	rest := strings.Join(kept, "&")
	params, bad := url.ParseQuery(rest)
	if secret := h.Secret(); bad != nil || secret == "" || len(signatures) != 1 ||
		!hmac.Equal([]byte(digest(rest, secret)), []byte(strings.ToLower(signatures[0]))) {
		return nil, refuse(http.StatusUnauthorized, "signature", "This request does not carry the marketplace's signature.")
	}
	at, err := strconv.ParseInt(params.Get("timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > window {
		return nil, refuse(http.StatusUnauthorized, "stale",
			"This address is more than five minutes old, or the clock of one of the two sides is wrong.")
	}
	return params, nil
}

// unsigned reports whether a raw query has none of the parameters of a request that the marketplace
// signed.
func unsigned(query string) bool {
	params, err := url.ParseQuery(query)
	return err == nil && !params.Has("account_id") && !params.Has("timestamp") && !params.Has("signature")
}

func digest(text, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// begin sends the browser to the consent page. A person who is not logged in at the marketplace
// comes without a signature, and logs in there.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	state := h.state(nonce, time.Now().Add(stateLasts).Unix())
	h.setCookie(w, state, nonce, int(stateLasts.Seconds()))
	h.Count("begun")
	h.send(w, r, "/oauth/authorize", url.Values{
		"response_type": {"code"}, "client_id": {h.ClientID}, "scope": {strings.Join(h.Scopes, ",")},
		"redirect_uri": {h.Origin + CallbackPath}, "state": {state},
	})
}

// state is the state that a nonce has until a time in Unix seconds. Any process with the app's
// secret knows it.
func (h *Handler) state(nonce string, until int64) string {
	stamp := strconv.FormatInt(until, 10)
	return stamp + "-" + digest("state of an installation\n"+stamp+"\n"+nonce, h.Secret())
}

// begunBy reports whether a state is that of the browser, and lasts.
func (h *Handler) begunBy(r *http.Request, state string) bool {
	stamp, _, _ := strings.Cut(state, "-")
	until, err := strconv.ParseInt(stamp, 10, 64)
	cookie, missing := r.Cookie(cookieName(state))
	return err == nil && missing == nil && time.Now().Unix() <= until &&
		hmac.Equal([]byte(state), []byte(h.state(cookie.Value, until)))
}

// cookieName is the name of a state's cookie. Each state has one of its own, so that two tabs do not
// end each other's installation.
func cookieName(state string) string {
	sum := sha256.Sum256([]byte(state))
	return "pubsync-install-" + hex.EncodeToString(sum[:4])
}

// setCookie sets the cookie of a state for so many seconds; a negative number removes it.
func (h *Handler) setCookie(w http.ResponseWriter, state, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // a public listener without TLS, on loopback, has no secure one
		Name: cookieName(state), Value: value, Path: "/oauth/", MaxAge: seconds, HttpOnly: true,
		// the redirect comes from another site, as a navigation
		Secure: strings.HasPrefix(h.Origin, "https:"), SameSite: http.SameSiteLaxMode,
	})
}

// send redirects the browser to a page of the marketplace.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, path string, query url.Values) {
	guard(w)
	http.Redirect(w, r, h.AuthURL+path+"?"+query.Encode(), http.StatusFound)
}

// finish exchanges the code for a token and stores it.
func (h *Handler) finish(w http.ResponseWriter, r *http.Request, params url.Values) *refusal {
	state, code := params.Get("state"), params.Get("code")
	if !h.begunBy(r, state) {
		return refuse(http.StatusForbidden, "state",
			"This installation was not begun in this browser, took too long, or was answered before.")
	}
	h.setCookie(w, state, "", -1)
	switch {
	case params.Get("error") != "" || code == "":
		return refuse(http.StatusForbidden, "declined", "The app was declined at the marketplace.")
	case !h.spend(code):
		return refuse(http.StatusForbidden, "code", "This code of the marketplace was used before.")
	}
	// The exchange goes on when the browser goes away, else the code would be spent and the token
	// lost. It may take longer than other answers.
	control := http.NewResponseController(w)
	late := time.Now().Add(exchangeTimeout + accountTimeout + 5*time.Second)
	//nolint:errcheck // a listener without deadlines needs none
	_ = errors.Join(control.SetReadDeadline(late), control.SetWriteDeadline(late))
	if no := h.install(context.WithoutCancel(r.Context()), code, params.Get("account_id")); no != nil {
		return no
	}
	h.Count("installed")
	h.send(w, r, "/oauth/finish", url.Values{"client_id": {h.ClientID}})
	return nil
}

// spend uses up a code. It returns false for one that was used. A code is remembered for longer than
// a redirect that carries it counts.
func (h *Handler) spend(code string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for key, until := range h.spent {
		if now.After(until) {
			delete(h.spent, key)
		}
	}
	key := sha256.Sum256([]byte(code))
	_, was := h.spent[key]
	h.spent[key] = now.Add(3 * window)
	return !was
}

// install exchanges a code and stores the token, unless something speaks against it.
func (h *Handler) install(ctx context.Context, code, id string) *refusal {
	last, _, err := Of(ctx, h.Store)
	if err == nil {
		err = store.Writable(ctx, h.Store)
	}
	switch { // before the code is spent
	case err != nil:
		return h.unstored(err)
	case id != "" && last.Account != "" && id != last.Account:
		return otherAccount()
	}
	secret := h.Secret()
	got, err := h.exchange(ctx, code, secret)
	switch {
	case errors.Is(err, errTimeout):
		return refuse(http.StatusGatewayTimeout, "timeout", "The marketplace gave no token: "+err.Error()+".")
	case err != nil:
		return refuse(http.StatusBadGateway, "exchange", "The marketplace gave no token: "+err.Error()+".")
	}
	h.Hide(got.token)
	if names := missing(h.Scopes, got.scopes); len(names) > 0 {
		return &refusal{
			http.StatusForbidden, "scope", "The app needs rights that were not granted: " + strings.Join(names, ", ") + ".",
			"Nothing was stored. Start the installation again and grant all that the app asks for.",
		}
	}
	h.binding.Lock()
	defer h.binding.Unlock()
	if no := h.bind(ctx, got.token, id); no != nil {
		return no
	}
	i := Installation{Account: id, Scopes: got.scopes, At: time.Now().UTC().Truncate(time.Second)}
	if err := Keep(ctx, h.Store, i, got.token, secret); err != nil {
		return h.unstored(err)
	}
	h.Log.Info("installed as a public app", "account_id", line(id), "scopes", line(strings.Join(got.scopes, ",")))
	h.Installed(ctx, got.token)
	return nil
}

func line(text string) string { return wire.Line(text, 200, strings.TrimSpace) }

// scopesOf reads a list of scopes. The specification separates them by commas, and RFC 6749 by
// spaces.
func scopesOf(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' || unicode.IsSpace(c) })
}

// missing is the wanted scopes that were not granted. A granted write scope implies the read scope
// of its resource.
func missing(wanted, granted []string) (names []string) {
	for _, w := range wanted {
		resource, reads := strings.CutSuffix(w, "_read")
		if !slices.Contains(granted, w) && !(reads && slices.Contains(granted, resource+"_write")) {
			names = append(names, w)
		}
	}
	return names
}
