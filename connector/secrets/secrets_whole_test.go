package secrets_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A secretFiles stands for the files that secrets are read from.
type secretFiles struct {
	mu    sync.Mutex
	fresh secrets.Set
	reads []time.Time
}

func (d *secretFiles) read() secrets.Set {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads = append(d.reads, time.Now())
	fresh := d.fresh
	d.fresh = secrets.Set{}
	return fresh
}

func (d *secretFiles) put(s secrets.Set) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fresh = s
}

// since is how often it was read since a time.
func (d *secretFiles) since(t time.Time) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, at := range d.reads {
		if at.After(t) {
			n++
		}
	}
	return n
}

// A token that was reset is read again, and the worker goes on without a restart: what it owes is
// done and its webhook registered.
func TestATokenThatWasResetIsReadAgain(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(*harness.Bench)
	}{
		{"refused from the start", func(b *harness.Bench) { b.Market.SetToken("the-new-token") }},
		{"refused after a while", func(*harness.Bench) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				b.Market.AddSound(3)
				tt.before(b)
				files := &secretFiles{}
				b.Tune = func(o *connector.Options) {
					o.Sweep, o.Webhook.URL, o.Reread = cron.Every(30*time.Second), harness.HookAddress, files.read
				}
				c, stop := b.Start()
				defer stop()
				time.Sleep(30 * time.Minute)
				b.Market.SetToken("the-new-token")
				b.Market.AddSound(2)
				refused := time.Now().Add(time.Minute)
				time.Sleep(31 * time.Minute)
				if n := files.since(refused); n < 170 || n > 190 {
					t.Errorf("read %d times in half an hour of a refused token, want every 10 s", n)
				}
				files.put(secrets.Set{MarketplaceToken: "the-new-token"})
				time.Sleep(10*time.Second + time.Second)
				if s, err := harness.Status(c); err != nil || s.Marketplace.Paused || s.Publications["live"] != 5 ||
					!s.Webhook.Active {
					t.Errorf(
						"after the token was read: %+v, %v, want no pause, 5 live, an active webhook and no error",
						s,
						err,
					)
				}
			})
		})
	}
}

// A person who asks for a run need not wait for the next reading.
func TestAPersonsRunReadsTheTokenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(3)
		files := &secretFiles{}
		b.Tune = func(o *connector.Options) { o.Reread = files.read }
		c, stop := b.Start()
		defer stop()
		time.Sleep(time.Second)
		b.Market.SetToken("the-new-token")
		files.put(secrets.Set{MarketplaceToken: "the-new-token"})
		if s, err := c.RunOnce(t.Context(), desk.RunOptions{Patience: time.Minute}); err != nil ||
			s.Exit != desk.ExitOK {
			t.Errorf("the run: got %+v, %v, want no error and Exit %v", s, err, desk.ExitOK)
		}
	})
}

// A token of another account ends the worker: the store belongs to one.
func TestATokenOfAnotherAccountEndsTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(1)
		other := sandbox.New(sandbox.Options{Token: "another-account", Account: "another-retailer"})
		defer other.Close()
		other.AddSound(1)
		files := &secretFiles{}
		b.Tune = func(o *connector.Options) {
			o.Reread = files.read
			o.Marketplace = harness.Client(either{b.Market.Transport(), other.Transport()})
		}
		c := b.Connector()
		done := make(chan error, 1)
		go func() { done <- c.Run(context.WithoutCancel(t.Context()), connector.Listeners{}) }()
		time.Sleep(time.Minute)
		files.put(secrets.Set{MarketplaceToken: "another-account"})
		time.Sleep(5 * time.Minute)
		var account *store.AccountError
		if err := <-done; !errors.As(err, &account) {
			t.Errorf("the worker ends with %v, want a %T", err, account)
		}
		if n := len(other.Reports()); n != 0 {
			t.Errorf("%d reports to the other account, want 0", n)
		}
	})
}

// either is a marketplace with two accounts.
type either struct{ one, other http.RoundTripper }

func (e either) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") == "Bearer another-account" {
		return e.other.RoundTrip(r)
	}
	return e.one.RoundTrip(r)
}

// The app's secret and the admin token are replaced too.
func TestSecretsOfTheListenersAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		files := &secretFiles{}
		b.Tune = func(o *connector.Options) { o.Reread, o.Admin.Token = files.read, "old-admin" }
		c, stop := b.Start()
		defer stop()
		time.Sleep(20 * time.Second)
		signed := func(secret string) int {
			return harness.Deliver(
				c,
				delivery.Of("POST", "/webhooks", harness.HookBody, secret, "PUBLICATION_CREATED"),
			).Code
		}
		if code := signed("secret"); code != http.StatusNoContent {
			t.Fatalf("the old secret: %d, want %v", code, http.StatusNoContent)
		}
		files.put(secrets.Set{WebhookSecret: "new-secret", AdminToken: "new-admin", PathToken: "new-path"})
		if code := signed("new-secret"); code != http.StatusUnauthorized {
			t.Fatalf("the new secret before it is read: %d, want %v", code, http.StatusUnauthorized)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if code := signed("new-secret"); code != http.StatusNoContent {
			t.Errorf("the new secret: %d, want %v", code, http.StatusNoContent)
		}
		if code := signed("secret"); code != http.StatusUnauthorized {
			t.Errorf("the old secret: %d, want %v", code, http.StatusUnauthorized)
		}
		for token, want := range map[string]int{"old-admin": http.StatusUnauthorized, "new-admin": http.StatusOK} {
			r := httptest.NewRequest(http.MethodGet, "/api/v1/status", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			c.AdminHandler(false).ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("the admin token %s: %d, want %d", token, w.Code, want)
			}
		}
		for path, want := range map[string]int{
			"/webhooks/path-token": http.StatusNotFound,
			"/webhooks/new-path":   http.StatusNoContent,
		} {
			if code := harness.Deliver(c, delivery.Of("POST", path, harness.HookBody, "", "")).Code; code != want {
				t.Errorf("%s: %d, want %d", path, code, want)
			}
		}
	})
}

// A shop whose credentials were reset takes what it refused, by the adapter that was opened with
// the new ones.
func TestTheShopsCredentialsAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(3)
		b.Shop.CheckErr = shopadapter.Block("the key was refused").Everywhere()
		b.Shop.Refuse = func(harness.Call) error { return shopadapter.Block("the key was refused").Everywhere() }
		files, renewed := &secretFiles{}, harness.NewShop()
		b.Tune = func(o *connector.Options) { o.Reread = files.read }
		c, stop := b.Start()
		defer stop()
		time.Sleep(10 * time.Minute)
		if s, err := harness.Status(c); err != nil || !s.Shop.Paused || s.Publications["live"] != 0 {
			t.Fatalf("the key is refused, and yet %+v, %v, want a pause, none live and no error", s, err)
		}
		files.put(secrets.Set{Shop: renewed})
		time.Sleep(10*time.Second + 5*time.Second)
		if s, err := harness.Status(c); err != nil || s.Shop.Paused || s.Publications["live"] != 3 ||
			renewed.Count("create") != 3 {
			t.Errorf(
				"with the new key: %+v, %v, %d creations, want no pause, 3 live, no error and 3",
				s,
				err,
				renewed.Count("create"),
			)
		}
	})
}
