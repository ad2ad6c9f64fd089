package install

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/postgrestest"
)

const (
	origin    = "https://hooks.shop.example"
	appSecret = "s3cret-of-the-public-app"
	market    = "https://market.example"
)

// A house is an app, the marketplace it is installed from, and the store that keeps the token.
type house struct {
	t       *testing.T
	box     *sandbox.Marketplace
	store   store.Store
	handler *Handler

	mu        sync.Mutex
	installed []string       // tokens, as they were told
	hidden    []string       // tokens that were told to be hidden
	counted   map[string]int // results
	said      strings.Builder
}

func newHouse(t *testing.T, o sandbox.Options) *house {
	t.Helper()
	o.Secret = appSecret
	h := &house{t: t, box: sandbox.New(o), counted: map[string]int{}}
	t.Cleanup(h.box.Close)
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	h.store = s
	h.handler = NewHandler(Options{
		ClientID: sandbox.DefaultClientID, Secret: appSecret, AuthURL: market,
		Scopes: []string{"account_read", "products_read"},
		Origin: origin, UserAgent: "pubsync", Store: s, Transport: h.box.Transport(),
		Account: func(ctx context.Context, token string) (string, error) {
			c := marketplace.New(marketplace.Config{URL: market, Token: token, Transport: h.box.Transport()})
			return c.Account(ctx)
		},
		Hide:  func(secret string) { h.record(func() { h.hidden = append(h.hidden, secret) }) },
		InUse: true,
		Installed: func(token string) {
			h.record(func() { h.installed = append(h.installed, token) })
		},
		StoreFailed: func(err error) { t.Errorf("store: %v", err) },
		Count:       func(result string) { h.record(func() { h.counted[result]++ }) },
		Log:         slog.New(slog.NewTextHandler(&locked{h: h}, nil)),
	})
	return h
}

// exchanges are the attempts to exchange a code.
func (h *house) exchanges() []sandbox.Request { return h.box.Requests(sandbox.KindExchange) }

func (h *house) record(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

// A locked writer writes to what the house said.
type locked struct{ h *house }

func (l *locked) Write(p []byte) (int, error) {
	l.h.mu.Lock()
	defer l.h.mu.Unlock()
	return l.h.said.Write(p)
}

// A browser keeps the cookies of the app until their time is over.
type browser struct {
	h       *house
	cookies map[string]string
	until   map[string]time.Time
}

func (h *house) browser() *browser { return &browser{h, map[string]string{}, map[string]time.Time{}} }

// get opens an address of the app.
func (b *browser) get(address string) *httptest.ResponseRecorder {
	b.h.t.Helper()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	for name, value := range b.cookies {
		if until := b.until[name]; until.IsZero() || time.Now().Before(until) {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	w := httptest.NewRecorder()
	b.h.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		b.cookies[c.Name], b.until[c.Name] = c.Value, time.Now().Add(time.Duration(c.MaxAge)*time.Second)
	}
	return w
}

// begin opens the application address, and returns the address of the consent page.
func (b *browser) begin(account string) (authorize string) {
	b.h.t.Helper()
	w := b.get(b.h.box.InstallURL(origin+Path, account))
	if w.Code != http.StatusFound {
		b.h.t.Fatalf("the application address: got %d: %s, want 302", w.Code, w.Body)
	}
	return w.Header().Get("Location")
}

// consent answers the consent page, and returns the address that the marketplace redirects to.
func (b *browser) consent(authorize string, c sandbox.Consent) (redirect string) {
	b.h.t.Helper()
	redirect, err := b.h.box.Answer(authorize, c)
	if err != nil {
		b.h.t.Fatal(err)
	}
	return redirect
}

// walk makes a whole installation and returns its last answer.
func (b *browser) walk(c sandbox.Consent) *httptest.ResponseRecorder {
	b.h.t.Helper()
	return b.get(b.consent(b.begin(c.Account), c))
}

// kept is the token that the store keeps, "" for none.
func (h *house) kept() string {
	h.t.Helper()
	i, err := Of(h.t.Context(), h.store)
	if err != nil {
		h.t.Fatal(err)
	}
	if len(i.Sealed) == 0 {
		return ""
	}
	token, err := i.Token(appSecret)
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

// expectRefused holds an answer to being a refusal: a page that says a reason, counted, with
// nothing stored or told.
func (h *house) expectRefused(w *httptest.ResponseRecorder, status int, result, reason string) {
	h.t.Helper()
	body := w.Body.String()
	if w.Code != status || !strings.Contains(body, reason) || w.Header().Get("Cache-Control") != "no-store" {
		h.t.Errorf("answered %d %v, want %d with %q:\n%s", w.Code, w.Header(), status, reason, body)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.counted["refused_"+result] != 1 || h.counted["installed"] != len(h.installed) {
		h.t.Errorf("counted %v, want one refused_%s", h.counted, result)
	}
}

// expectNothing holds the store to keeping no token.
func (h *house) expectNothing() {
	h.t.Helper()
	if token := h.kept(); token != "" || len(h.installed) > 0 {
		h.t.Errorf("got %q kept, %q installed, want nothing", token, h.installed)
	}
}

// param is a parameter of an address.
func param(t *testing.T, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get(name)
}
