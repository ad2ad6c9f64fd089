package connector

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/store"
)

const appOrigin = "https://hooks.shop.example"

// asApp has the connector be a public app without a token.
func (b *bench) asApp(o *Options) {
	o.App = &AppOptions{
		ClientID: sandbox.DefaultClientID, Secret: "app-secret", AuthURL: "https://auth.example", Scopes: []string{"account_read"}, Origin: appOrigin,
		InUse: true, Hide: func(string) {}, Kept: func(string) {},
		Account: func(context.Context, string) (string, error) { return "", nil },
	}
	o.Marketplace = marketplace.New(marketplace.Config{URL: "https://market.example", Languages: []string{"en", "nl"}, Install: "install it", Transport: b.box.Transport()})
}

// open opens an address of the public listener and returns the status.
func openPublic(c *Connector, address string) int {
	w := httptest.NewRecorder()
	c.WebhookHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	return w.Code
}

// A worker whose token comes by installation asks the marketplace nothing until it has one, for however long that takes.
func TestAWorkerWithoutATokenSendsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		b.box.AddSound(2)
		b.tune = b.asApp
		c, stop := b.work()
		defer stop()
		time.Sleep(6 * time.Hour)
		if n := len(b.box.Requests()); n != 0 {
			t.Errorf("%d requests", n)
		}
		if s, err := c.Status(); err != nil || !s.Marketplace.Paused {
			t.Errorf("the status: %+v, %v", s.Marketplace, err)
		}
		c.secrets.Installed(sandbox.DefaultToken)
		time.Sleep(time.Minute)
		if s, err := c.Status(); err != nil || s.Marketplace.Paused || s.Publications["live"] != 2 {
			t.Errorf("with a token: %+v, %v", s, err)
		}
	})
}

// A token that comes by an installation again, and is the same, ends the pause like another one.
func TestTheSameTokenAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		b.box.AddSound(1)
		b.tune = b.asApp
		c, stop := b.work()
		defer stop()
		c.secrets.Installed(sandbox.DefaultToken)
		time.Sleep(time.Minute)
		b.box.RevokeToken()
		b.box.AddSound(1)
		c.sweeper.Request(false)
		time.Sleep(time.Hour)
		if s, err := c.Status(); err != nil || !s.Marketplace.Paused {
			t.Fatalf("the status: %+v, %v", s.Marketplace, err)
		}
		b.box.SetToken(sandbox.DefaultToken)
		c.secrets.Installed(sandbox.DefaultToken)
		time.Sleep(time.Second)
		if s, err := c.Status(); err != nil || s.Marketplace.Paused || s.Publications["live"] != 2 {
			t.Errorf("with the same token: %+v, %v", s, err)
		}
	})
}

// The app's secret is read again: it judges signatures, and opens the token that the store keeps.
func TestTheAppsSecretIsReadAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		files := &secretFiles{}
		b.tune = func(o *Options) {
			b.asApp(o)
			o.Reread = files.read
			if err := store.KeepInstallation(o.Store, store.Installation{}, "the-token", "app-secret"); err != nil {
				t.Fatal(err)
			}
		}
		c, stop := b.work()
		defer stop()
		expect := func(secret string, want int) {
			t.Helper()
			if code := openPublic(c, install.Address(appOrigin, secret, time.Now())); code != want {
				t.Errorf("signed with %s: %d, want %d", secret, code, want)
			}
		}
		expect("app-secret", http.StatusFound)
		expect("new-secret", http.StatusUnauthorized)
		files.put(secrets.Set{ClientSecret: "new-secret"})
		time.Sleep(2 * time.Minute)
		expect("app-secret", http.StatusUnauthorized)
		expect("new-secret", http.StatusFound)
		i, ok, err := store.InstallationOf(c.o.Store)
		if err != nil || !ok {
			t.Fatalf("%+v, %v", i, err)
		}
		if token, err := i.Token("new-secret"); err != nil || token != "the-token" {
			t.Errorf("the new secret opens %q, %v", token, err)
		}
	})
}

// Without the settings of a public app its addresses are like any other path.
func TestNoInstallationWhereNoneIsConfigured(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		c := b.connector()
		if code := openPublic(c, install.Address(appOrigin, "", time.Now())); code != http.StatusNotFound {
			t.Errorf("answered %d", code)
		}
	})
}
