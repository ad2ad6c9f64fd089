package secrets_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/store"
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

// open opens an address of the public listener and returns the status.
func openPublic(c *connector.Connector, address string) int {
	w := httptest.NewRecorder()
	c.WebhookHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	return w.Code
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
		c.Sweep(false)
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

// appBench is a worker of a public app whose secret stands in a file, with a token that is sealed
// with the first secret.
type appBench struct {
	*harness.Bench
	t     *testing.T
	files *secretFiles
	c     *connector.Connector
}

func newAppBench(t *testing.T, sealedWith string) (a *appBench, stop func()) {
	t.Helper()
	a = &appBench{harness.New(t, sandbox.Options{Secret: "new-secret"}), t, &secretFiles{}, nil}
	a.Market.AddSound(1)
	a.Tune = func(o *connector.Options) {
		asApp(a.Bench, o)
		o.Webhook.Secret, o.Reread = "app-secret", a.files.read
		if err := store.KeepInstallation(a.t.Context(), o.Store, store.Installation{}, sandbox.DefaultToken, sealedWith,
			""); err != nil {
			t.Fatal(err)
		}
	}
	a.c, stop = a.Start()
	return a, stop
}

// write puts a secret into the file, and waits until it has been read.
func (a *appBench) write(secret string) {
	a.files.put(secrets.Set{ClientSecret: secret, WebhookSecret: secret})
	time.Sleep(2 * time.Minute)
}

// expect holds the secrets that judge signatures, and those that open the token, to those given.
func (a *appBench) expect(when string, judge, open []string) {
	a.t.Helper()
	i, ok, err := store.InstallationOf(a.t.Context(), a.Store)
	if err != nil || !ok {
		a.t.Fatalf("%s: known %t, %v, want true and no error", when, ok, err)
	}
	for _, secret := range []string{"app-secret", "new-secret", "typo-secret"} {
		good := openPublic(a.c, signedAddress(secret)) == http.StatusFound
		if want := slices.Contains(judge, secret); good != want {
			a.t.Errorf("%s: an address signed with %s is taken: %t, want %t", when, secret, good, want)
		}
		token, err := i.Token(secret)
		if want := slices.Contains(open, secret); (err == nil && token == sandbox.DefaultToken) != want {
			a.t.Errorf("%s: %s opens the token: %v, want %t", when, secret, err, want)
		}
	}
}

// signedAddress is the application address, signed with a secret.
func signedAddress(secret string) string {
	query := "timestamp=" + strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(query))
	return appOrigin + install.Path + "?" + query + "&signature=" + hex.EncodeToString(mac.Sum(nil))
}

// webhook has the worker take a webhook that a secret signed.
func (a *appBench) webhook(secret string, want int) {
	a.t.Helper()
	if code := harness.Deliver(a.c,
		delivery.Of("POST", "/webhooks", harness.HookBody, secret, "PUBLICATION_CREATED")).Code; code != want {
		a.t.Errorf("a webhook signed with %s: %d, want %d", secret, code, want)
	}
}

// A new secret of the app holds beside the one before until the marketplace has used it.
func TestTheAppsSecretIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, stop := newAppBench(t, "app-secret")
		defer stop()
		a.expect("at the start", []string{"app-secret"}, []string{"app-secret"})
		a.write("new-secret")
		both := []string{"app-secret", "new-secret"}
		a.expect("a new one", both, both)
		a.webhook("app-secret", http.StatusNoContent)
		a.expect("the one before signs", both, both)
		a.webhook("new-secret", http.StatusNoContent)
		a.expect("the new one signs", []string{"new-secret"}, []string{"new-secret"})
		a.webhook("app-secret", http.StatusUnauthorized)
	})
}

// A typo in the file of the app's secret costs nothing: the token stays open, webhooks are taken,
// and the right secret takes it back.
func TestATypoInTheAppsSecretCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, stop := newAppBench(t, "app-secret")
		defer stop()
		a.write("typo-secret")
		both := []string{"app-secret", "typo-secret"}
		a.expect("a typo", both, both)
		a.webhook("app-secret", http.StatusNoContent)
		a.write("app-secret")
		a.expect("the right one is back", []string{"app-secret"}, []string{"app-secret"})
		a.write("typo-secret")
		a.write("new-secret")
		a.expect(
			"a typo, and then a new one",
			[]string{"app-secret", "new-secret"},
			[]string{"app-secret", "new-secret"},
		)
		installed(a.Bench, a.c) // the exchange tries them one by one
		a.expect("the marketplace has accepted one", []string{"new-secret"}, []string{"new-secret"})
	})
}

// A worker that starts with a typo cannot open the token. It keeps the token as it is, says so, and
// goes on once the right secret is in the file.
func TestAStartWithATypoInTheAppsSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, stop := newAppBench(t, "new-secret")
		defer stop()
		a.expect("at the start", []string{"app-secret"}, []string{"new-secret"})
		a.write("typo-secret")
		a.expect("another typo", []string{"app-secret", "typo-secret"}, []string{"new-secret"})
		if s, err := harness.Status(a.c); err != nil || !s.Marketplace.Paused {
			t.Errorf("the status: %+v, %v, want a pause and no error", s.Marketplace, err)
		}
		a.write("new-secret")
		a.expect("the right one", []string{"new-secret"}, []string{"new-secret"})
		if s, err := harness.Status(a.c); err != nil || s.Marketplace.Paused || s.Publications["live"] != 1 {
			t.Errorf("the status: %+v, %v, want no pause, 1 live and no error", s, err)
		}
	})
}

// Without the settings of a public app its addresses are like any other path.
func TestNoInstallationWhereNoneIsConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		c := b.Connector()
		if code := openPublic(c, signedAddress("")); code != http.StatusNotFound {
			t.Errorf("answered %d, want %v", code, http.StatusNotFound)
		}
	})
}
