package setup

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/connector/marketplace"
	_ "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/store"
)

// accountText is the file of an account but for its id.
const accountText = "PUBSYNC_MARKETPLACE_URL=https://m.example\nPUBSYNC_MARKETPLACE_TOKEN=token-token\n" +
	"PUBSYNC_SHOP_ADAPTER=http\nPUBSYNC_HTTP_URL=https://s.example\nPUBSYNC_ACCOUNT_ID="

// houseOf returns a house of the accounts of a folder, without a database.
func houseOf(t *testing.T, folder string, f *fleet.Fleet) *house {
	t.Helper()
	env := config.Read([]string{
		"PUBSYNC_ACCOUNTS_DIR=" + folder, "PUBSYNC_STORE_URL=postgres://127.0.0.1:1/none",
	}, nil)
	names, _ := env.Accounts() //nolint:errcheck // some tests have none
	c, _ := New(env, config.ToLook, "test")
	log := slog.New(slog.DiscardHandler)
	h := newHouse(c, names, func(*Setup) *slog.Logger { return log })
	h.fleet = f
	return h
}

const body = `{"data":{"publication":{"id":"p1"}}}`

// shared delivers a webhook to the address of all accounts.
func shared(t *testing.T, h *house, id, secret string) (status int) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks", strings.NewReader(body))
	r.Header.Set("X-Service-Account-Id", id)
	r.Header.Set("X-Service-Signature", string(marketplace.Signature([]byte(secret), []byte(body))))
	w := httptest.NewRecorder()
	h.public().ServeHTTP(w, r)
	return w.Code
}

// A signed webhook of an account that became known just now is its, though strangers had the ids read before.
func TestANewAccountLosesNoWebhook(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "b.env"), []byte(accountText+"2"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := houseOf(t, folder, fleet.New(fleet.Options{}))
	got, renewed := "", &Setup{Config: &config.Config{}}
	renewed.WebhookSecret = "renewed"
	h.served["b"] = &account{Setup: renewed, worker: &connector.Connector{}}
	h.served["b"].public = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		whole, _ := io.ReadAll(r.Body) //nolint:errcheck // it is compared
		got = r.URL.Path + " " + string(whole)
	})
	h.ids.secrets["secret"], h.ids.begun = true, time.Now()
	if code := shared(t, h, "2", "guess"); code != http.StatusUnauthorized || len(h.ids.known) > 0 {
		t.Errorf("a stranger's: %d, read %v, want 401 and no reading", code, h.ids.known)
	}
	if code := shared(t, h, "2", "secret"); code != http.StatusOK || got != "/webhooks "+body {
		t.Errorf("a signed one: %d, the account got %q, want it whole", code, got)
	}
	for _, secret := range []string{"secret", "renewed"} {
		if code := shared(t, h, "3", secret); code != http.StatusNoContent {
			t.Errorf("one of another pubsync's account, signed by %s: %d, want 204", secret, code)
		}
	}
}

// What is not signed is refused as such, also while an account cannot be read, and other addresses are none.
func TestWhatIsNoWebhookOfAnAccount(t *testing.T) {
	h := houseOf(t, t.TempDir(), fleet.New(fleet.Options{}))
	h.ids.secrets["secret"], h.ids.partial, h.ids.begun = true, true, time.Now()
	for path, want := range map[string]int{
		"/webhooks": http.StatusUnauthorized, "/one": http.StatusNotFound, "/one/webhooks": http.StatusNotFound,
	} {
		w := httptest.NewRecorder()
		h.public().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
		if w.Code != want {
			t.Errorf("POST %s: %d, want %d", path, w.Code, want)
		}
	}
}

// A page of a process that does not work on the account tries again, and asks for nothing else.
func TestInstallationElsewhere(t *testing.T) {
	h := houseOf(t, t.TempDir(), nil)
	h.served["b"] = &account{opened: time.Now()}
	w := httptest.NewRecorder()
	h.public().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/b/oauth/callback", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Refresh") == "" ||
		!strings.Contains(w.Body.String(), "tries again by itself") || strings.Contains(w.Body.String(), "Start") {
		t.Errorf("got %d %v %s, want 503 and a page that tries again", w.Code, w.Header(), w.Body)
	}
}

// While an account cannot be read, a webhook of an id that is not known is refused, so that it
// comes again: an acknowledged one would be lost. What is known stays known.
func TestAFaultyFileLosesNoWebhook(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name+".env"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a", accountText+"1")
	write("b", accountText+"2")
	h := houseOf(t, folder, fleet.New(fleet.Options{}))
	status := func(id string) int { return shared(t, h, id, "") }
	write("b", "PUBSYNC_MARKETPLACE_URL=")
	for _, id := range []string{"2", "3", ""} {
		if got := status(id); got != http.StatusServiceUnavailable {
			t.Errorf("the id %q while an account cannot be read: %d, want 503", id, got)
		}
	}
	if got, _ := h.named(t.Context(), "1", false); got != "a" {
		t.Errorf("the id of a is that of %q, want a", got)
	}
	write("b", accountText+"2")
	h.ids.begun = time.Time{}
	if got := status("3"); got == http.StatusServiceUnavailable {
		t.Errorf("an unknown id while all accounts are known: %d, want another status", got)
	}
	if got, _ := h.named(t.Context(), "2", false); got != "b" {
		t.Errorf("the id of b is that of %q, want b", got)
	}
}

type leases struct{ fleet.Leases }

func (leases) Claim(_ context.Context, _ string, _ int, names ...string) (all []*store.Lease, err error) {
	for _, name := range names {
		all = append(all, store.NewLease(name, 1, time.Now(), time.Minute))
	}
	return all, nil
}

func (leases) Renew(context.Context, ...*store.Lease) error   { return nil }
func (leases) Release(context.Context, ...*store.Lease) error { return nil }

// Who asks for an account that does not work is told why.
func TestAFaultyAccountSaysWhy(t *testing.T) {
	const why = "the shop sells in another currency"
	synctest.Test(t, func(t *testing.T) {
		f := fleet.New(fleet.Options{
			Accounts: []string{"a"}, Leases: leases{}, Log: slog.New(slog.DiscardHandler), Owner: "test",
			Work: func(context.Context, string, *store.Lease) error { return errors.New(why) },
		})
		h := houseOf(t, t.TempDir(), f)
		h.served["a"] = &account{opened: time.Now()}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go f.Run(ctx)
		synctest.Wait()
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/accounts/a/api/v1/status", nil)
		r.Host = "localhost"
		h.admin(true).ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), why) {
			t.Errorf("got %d %s, want 503 and %q", w.Code, w.Body, why)
		}
	})
}
