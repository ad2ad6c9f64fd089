package install

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// claim has the store belong to an account already.
func (h *house) claim(account, id string) {
	h.t.Helper()
	if err := store.ClaimAccount(h.t.Context(), h.store, account); err != nil {
		h.t.Fatal(err)
	}
	if id == "" {
		return
	}
	if err := Keep(h.t.Context(), h.store, id, "old-token", appSecret); err != nil {
		h.t.Fatal(err)
	}
}

func TestWhoseInstallation(t *testing.T) {
	silent := func(context.Context, string) (string, error) { return "", nil }
	unreachable := func(context.Context, string) (string, error) {
		return "", &marketplace.Error{Op: "read account", Message: "no answer"}
	}
	takenBack := func(context.Context, string) (string, error) {
		return "", &marketplace.Error{Kind: marketplace.Unauthorized}
	}
	for _, tt := range []struct {
		name        string
		account, id string // of the store; empty: not known
		means       string // the account that the settings name
		by          string // the account that installs
		asks        func(context.Context, string) (string, error)
		refused     int // status; 0: installed
		exchanges   int
	}{
		{"the first", "", "", "", "a", nil, 0, 1},
		{"the same again", "a", "a", "", "a", nil, 0, 1},
		{"the same, known by a private token", "a", "", "", "a", nil, 0, 1},
		{"another, known by its id", "a", "a", "", "b", nil, http.StatusConflict, 0},
		{"another, known by a private token", "a", "", "", "b", nil, http.StatusConflict, 1},
		{"the marketplace does not answer, a fresh store", "", "", "", "a", unreachable, 0, 1},
		{"the marketplace does not answer, a known account", "a", "a", "", "a", unreachable, http.StatusBadGateway, 1},
		{"the token is refused at once", "", "", "", "a", takenBack, http.StatusBadGateway, 1},
		{"the token does not tell, a fresh store", "", "", "", "a", silent, 0, 1},
		{"the token does not tell, the same id", "a", "a", "", "a", silent, 0, 1},
		{"the token does not tell, no id is known", "a", "", "", "a", silent, http.StatusConflict, 1},
		{"the one that is meant", "", "", "a", "a", nil, 0, 1},
		{"another than is meant", "", "", "a", "b", nil, http.StatusConflict, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t, sandbox.Options{})
			h.claim(tt.account, tt.id)
			h.handler.AccountID = tt.means
			if tt.asks != nil {
				h.handler.Account = tt.asks
			}
			w := h.browser().walk(sandbox.Consent{Account: tt.by})
			if n := len(h.exchanges()); n != tt.exchanges {
				t.Errorf("%d exchanges, want %d", n, tt.exchanges)
			}
			if tt.refused == 0 {
				if w.Code != http.StatusFound || h.kept() == "" {
					t.Errorf("got %d: %s, want 302 and a token kept", w.Code, w.Body)
				}
				return
			}
			if other := w.Code == http.StatusConflict && tt.asks == nil; w.Code != tt.refused ||
				other != strings.Contains(w.Body.String(), "works for another account") {
				t.Errorf("answered %d, want %d: %s", w.Code, tt.refused, w.Body)
			}
			if token := h.kept(); token != "" && token != "old-token" || len(h.installed) > 0 {
				t.Errorf("got %q kept, %q installed, want no new token", token, h.installed)
			}
		})
	}
}

// TestBrowser walks the installation in a real browser, which alone can tell whether the cookie comes
// back with the redirect.
func TestBrowser(t *testing.T) {
	browser, h := chromium.Start(t), newHouse(t, sandbox.Options{})
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	office := sandbox.Serve(h.box, socket)
	t.Cleanup(office.Close)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.handler.ServeHTTP(w, r)
	}))
	t.Cleanup(app.Close)
	o := h.handler.Options
	o.AuthURL, o.Origin, o.Transport = office.URL, app.URL, nil
	h.handler = NewHandler(o)
	tab := browser.Open(t, h.box.InstallURL(app.URL+Path, ""), 1000) // as the marketplace's back office does
	tab.Shows("The app is installed")
	if h.kept() != h.box.InstalledTokens()[0] {
		t.Errorf("got %q kept, want the installed token", h.kept())
	}
}
