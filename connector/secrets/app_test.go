package secrets_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const appOrigin = "https://hooks.shop.example"

// asApp has the connector be a public app without a token.
func asApp(b *harness.Bench, o *connector.Options) {
	o.App = &connector.AppOptions{
		ClientID: sandbox.DefaultClientID, Secret: "app-secret", AuthURL: "https://auth.example",
		Scopes: []string{"account_read"}, Origin: appOrigin,
		InUse: true, Transport: sameToken{b.Market.Transport()}, Hide: func(string) {}, Kept: func(string) {},
		Account: func(context.Context, string) (string, error) { return "", nil },
	}
	o.Marketplace = marketplace.New(
		marketplace.Config{
			URL:       "https://market.example",
			Languages: []string{"en", "nl"},
			Install:   "install it",
			Transport: b.Market.Transport(),
		},
	)
}

// sameToken gives the default token for every code that the marketplace accepts.
type sameToken struct{ next http.RoundTripper }

func (s sameToken) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	said = regexp.MustCompile(`installed-\w+`).ReplaceAll(said, []byte(sandbox.DefaultToken))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(said)), int64(len(said))
	return resp, nil
}

// installed has a merchant install the app.
func installed(b *harness.Bench, c *connector.Connector) {
	b.T.Helper()
	var cookies []*http.Cookie
	get := func(address string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, address, nil)
		for _, cookie := range cookies {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		c.WebhookHandler().ServeHTTP(w, r)
		cookies = append(cookies, w.Result().Cookies()...)
		return w.Result()
	}
	begun := get(b.Market.InstallURL(appOrigin+install.Path, ""))
	redirect, err := b.Market.Answer(begun.Header.Get("Location"), sandbox.Consent{})
	if err != nil {
		b.T.Fatalf("the marketplace answers %s, %v, want no error", begun.Status, err)
	}
	if res := get(redirect); res.StatusCode != http.StatusFound { // back to the marketplace
		b.T.Fatalf("the installation ended with %s, want %d", res.Status, http.StatusFound)
	}
}

// A worker whose token comes by installation asks the marketplace nothing until it has one, for
// however long that takes.
func TestAWorkerWithoutATokenSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{Secret: "app-secret"})
		b.Market.AddSound(2)
		b.Tune = func(o *connector.Options) { asApp(b, o) }
		c, stop := b.Start()
		defer stop()
		time.Sleep(6 * time.Hour)
		if n := len(b.Market.Requests()); n != 0 {
			t.Errorf("%d requests, want 0", n)
		}
		if s, err := harness.Status(c); err != nil || !s.Marketplace.Paused {
			t.Errorf("the status: %+v, %v, want a pause and no error", s.Marketplace, err)
		}
		installed(b, c)
		time.Sleep(time.Minute)
		if s, err := harness.Status(c); err != nil || s.Marketplace.Paused || s.Publications["live"] != 2 {
			t.Errorf("with a token: %+v, %v, want no pause, 2 live and no error", s, err)
		}
	})
}

// A token that comes by an installation again, and is the same, ends the pause like another one.
func TestTheSameTokenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{Secret: "app-secret"})
		b.Market.AddSound(1)
		b.Tune = func(o *connector.Options) { asApp(b, o) }
		c, stop := b.Start()
		defer stop()
		installed(b, c)
		time.Sleep(time.Minute)
		b.Market.RevokeToken()
		b.Market.AddSound(1)
		c.AskFor(false)
		time.Sleep(time.Hour)
		if s, err := harness.Status(c); err != nil || !s.Marketplace.Paused {
			t.Fatalf("the status: %+v, %v, want a pause and no error", s.Marketplace, err)
		}
		b.Market.SetToken(sandbox.DefaultToken)
		installed(b, c)
		time.Sleep(time.Second)
		if s, err := harness.Status(c); err != nil || s.Marketplace.Paused || s.Publications["live"] != 2 {
			t.Errorf("with the same token: %+v, %v, want no pause, 2 live and no error", s, err)
		}
	})
}
