package install

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

// The two addresses, below the origin of the public listener.
const (
	Path         = "/oauth/install"
	CallbackPath = "/oauth/callback"
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
	// seals the states of installations, which may be begun in one process and end in another; "":
	// they end in this process
	StateSecret string
	Transport   http.RoundTripper // of the exchange; nil: sockets

	// asks the marketplace whose token it is; "" where the token may not read that
	Account func(ctx context.Context, token string) (string, error)
	Hide    func(secret string) // is called with a token before any other function is
	// is called with a token that is stored
	Installed   func(ctx context.Context, token string)
	StoreFailed func(error) // is called with an error of the store
	Count       func(result string)
	Log         *slog.Logger
}

// A Handler serves the application address and the redirect address.
type Handler struct {
	Options
	client  *http.Client
	states  *states
	binding *semaphore.Weighted // of 1: one token is judged and stored at a time
	refused health.LogLimiter   // of lines about refusals
	strange health.LogLimiter   // of lines about strangers, who could crowd out the others
}

// NewHandler makes a Handler.
func NewHandler(o Options) *Handler {
	return &Handler{
		Options: o,
		client:  newClient(o.Transport),
		states:  newStates(o.StateSecret),
		binding: semaphore.NewWeighted(1),
	}
}

// Serves reports whether a path is one of the two addresses.
func Serves(path string) bool { return path == Path || path == CallbackPath }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !Serves(r.URL.Path) {
		http.NotFound(w, r)
		return
	}
	var no *refusal
	said := &h.strange
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		no = &refusal{http.StatusMethodNotAllowed, "method", "This address takes GET alone.", startAgain}
	} else if r.URL.Path == Path && unsigned(r.URL.RawQuery) {
		h.begin(w, r, unsignedLasts)
	} else if params, err := verify(r.URL.RawQuery, h.Secret(), time.Now()); err != nil {
		no = unverified(err)
	} else {
		said = &h.refused
		if r.URL.Path == Path {
			h.begin(w, r, stateLasts)
		} else {
			no = h.finish(w, r, params)
		}
	}
	if no == nil {
		return
	}
	h.Count("refused_" + no.result)
	if untold, ok := said.Allow(time.Now()); ok {
		h.Log.Warn("installation refused", "why", no.result, "reason", no.Reason, "untold", untold)
	}
	no.show(w)
}

// unverified is the refusal of a request that the marketplace did not sign, or that is old.
func unverified(err error) *refusal {
	if errors.Is(err, errStale) {
		return &refusal{
			http.StatusUnauthorized,
			"stale",
			"This address is more than five minutes old, or the clock of one of the two sides is wrong.",
			startAgain,
		}
	}
	return &refusal{
		http.StatusUnauthorized,
		"signature",
		"This request does not carry the marketplace's signature.",
		startAgain,
	}
}

// begin sends the browser to the consent page. A person who is not logged in at the marketplace
// comes without a signature, and logs in there.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, lasts time.Duration) {
	state, cookie := h.states.begin(time.Now(), lasts)
	h.setCookie(w, state, cookie, int(lasts.Seconds()))
	query := url.Values{
		"response_type": {"code"}, "client_id": {h.ClientID}, "scope": {strings.Join(h.Scopes, ",")},
		"redirect_uri": {h.Origin + CallbackPath}, "state": {state},
	}
	h.Count("begun")
	h.send(w, r, "/oauth/authorize", query)
}

// setCookie sets the cookie of a state for so many seconds; a negative number removes it.
func (h *Handler) setCookie(w http.ResponseWriter, state, value string, seconds int) {
	http.SetCookie(
		w,
		&http.Cookie{ //nolint:gosec // a public listener without TLS, on loopback, could not set a secure one
			Name: cookieName(state), Value: value, Path: "/oauth/", MaxAge: seconds, HttpOnly: true,
			// the redirect comes from another site, as a navigation
			Secure: strings.HasPrefix(h.Origin, "https:"), SameSite: http.SameSiteLaxMode,
		},
	)
}

// send redirects the browser to a page of the marketplace.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, path string, query url.Values) {
	guard(w)
	http.Redirect(w, r, h.AuthURL+path+"?"+query.Encode(), http.StatusFound)
}

// finish exchanges the code for a token and stores it.
func (h *Handler) finish(w http.ResponseWriter, r *http.Request, params url.Values) *refusal {
	state := params.Get("state")
	if !h.states.spendState(state, r, time.Now()) {
		return &refusal{
			http.StatusForbidden,
			"state",
			"This installation was not begun in this browser, took too long, or was answered before.",
			startAgain,
		}
	}
	h.setCookie(w, state, "", -1)
	code := params.Get("code")
	switch {
	case params.Get("error") != "" || code == "":
		return &refusal{http.StatusForbidden, "declined", "The app was declined at the marketplace.", startAgain}
	case !h.states.spendCode(code, time.Now()):
		return &refusal{http.StatusForbidden, "code", "This code of the marketplace was used before.", startAgain}
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

// install exchanges a code and stores the token, unless something speaks against it.
func (h *Handler) install(ctx context.Context, code, id string) *refusal {
	if no := h.otherID(ctx, id); no != nil {
		return no
	}
	if err := store.Writable(ctx, h.Store); err != nil { // before the code is spent
		return h.unstored(err)
	}
	secret := h.Secret()
	got, err := h.exchange(ctx, code, secret)
	if err != nil {
		no := &refusal{
			http.StatusBadGateway,
			"exchange",
			"The marketplace gave no token: " + err.Error() + ".",
			startAgain,
		}
		if errors.Is(err, errTimeout) {
			no.status, no.result = http.StatusGatewayTimeout, "timeout"
		}
		return no
	}
	h.Hide(got.token)
	if names := missing(h.Scopes, got.scopes); len(names) > 0 {
		return &refusal{
			http.StatusForbidden, "scope", "The app needs rights that were not granted: " + strings.Join(names, ", ") + ".",
			"Nothing was stored. Start the installation again and grant all that the app asks for.",
		}
	}
	bound, cancel := context.WithTimeout(ctx, accountTimeout)
	defer cancel()
	if err := h.binding.Acquire(bound, 1); err != nil {
		return &refusal{
			http.StatusServiceUnavailable, "timeout", "Another installation has taken too long to be stored.", startAgain,
		}
	}
	defer h.binding.Release(1)
	if no := h.bind(bound, got.token, id); no != nil {
		return no
	}
	i := store.Installation{Account: id, Scopes: got.scopes, At: time.Now().UTC().Truncate(time.Second)}
	if err := store.KeepInstallation(ctx, h.Store, i, got.token, secret); err != nil {
		return h.unstored(err)
	}
	h.Log.Info("installed as a public app", "account_id", line(id), "scopes", line(strings.Join(got.scopes, ",")))
	h.Installed(ctx, got.token)
	return nil
}

// line is a text of the marketplace as one bounded line.
func line(text string) string { return quote.Line(text, 200, strings.TrimSpace) }

func (h *Handler) unstored(err error) *refusal {
	h.StoreFailed(err)
	return &refusal{http.StatusServiceUnavailable, "store", "The token could not be stored here.", askOwner}
}
