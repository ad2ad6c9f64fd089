// A public app is installed, and the worker waits for its token.

package main_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// asApp has the site configured as a public app, without a token.
func (s *site) asApp() {
	listen := freePort(s.t)
	s.set("MARKETPLACE_TOKEN", "", "OAUTH_CLIENT_ID", sandbox.DefaultClientID, "OAUTH_CLIENT_SECRET", hookSecret,
		"OAUTH_AUTH_URL", s.market.URL, "WEBHOOK_LISTEN", listen, "WEBHOOK_URL", "http://"+listen+"/webhooks")
}

func (s *site) appWorker(pairs ...string) *worker {
	s.t.Helper()
	return s.work(append([]string{
		"WEBHOOK_SECRET", "", "WEBHOOK_PATH_TOKEN", "", "WEBHOOK_LISTEN",
		s.env["PUBSYNC_WEBHOOK_LISTEN"],
	}, pairs...)...)
}

func (s *site) application() string {
	return "http://" + s.env["PUBSYNC_WEBHOOK_LISTEN"] + "/oauth/install"
}

// A visit is a person with a browser who installs the app.
type visit struct {
	t      *testing.T
	client *http.Client
}

func newVisit(t *testing.T) *visit {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visit{t, &http.Client{Jar: jar}}
}

// install opens an address and approves on the consent page. It returns the last page.
func (v *visit) install(address, account string) (status int, page string) {
	v.t.Helper()
	res, err := v.client.Get(address)
	if err != nil {
		v.t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Request.URL.Path != "/oauth/authorize" {
		v.t.Fatalf("%s led to %s, which answered %s", address, res.Request.URL.Path, res.Status)
	}
	consent := res.Request.URL.ResolveReference(&url.URL{Path: "/oauth/consent"}).String()
	form := url.Values{
		"request": {res.Request.URL.RawQuery},
		"answer":  {"approve"},
		"account": {account},
		"scope":   {"account_read", "products_read"},
	}
	if res, err = v.client.PostForm(consent, form); err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// expectInstalled makes an installation that must end well.
func (v *visit) expectInstalled(address, account string) {
	v.t.Helper()
	if status, page := v.install(address, account); status != http.StatusOK ||
		!strings.Contains(page, "The app is installed") {
		v.t.Fatalf("%d: %s", status, page)
	}
}

// paused is the marketplace's pause in the status of a worker, "" for none.
func (w *worker) paused() string {
	w.t.Helper()
	var st struct {
		Marketplace struct {
			Paused bool
			Reason string
		}
	}
	w.get("/api/v1/status", &st)
	if !st.Marketplace.Paused {
		return ""
	}
	return st.Marketplace.Reason
}

// TestAPublicApp is the life of an installation: the worker waits for it, goes on with it, says
// when the app was removed, and goes on with the next one.
func TestAPublicApp(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.asApp()
	s.lamps(2)
	w := s.appWorker("LOG_LEVEL", "debug")
	eventually(t, 30*time.Second, "the status and the log say where to install it", func() bool {
		return strings.Contains(w.paused(), "open "+s.application()) &&
			strings.Contains(w.stderr.String(), "open "+s.application())
	})
	if r := s.call("status"); r.code != 0 || !strings.Contains(r.stdout, "open "+s.application()) {
		t.Errorf("status before the installation: exit %d, want 0, %s", r.code, r.stdout)
	}
	if n := len(s.market.Requests()); n != 0 {
		t.Errorf("%d requests were sent without a token", n)
	}
	if status := w.hook("PUBLICATION_CREATED",
		`{"data":{"publication":{"id":"unknown"}}}`); status != http.StatusNoContent {
		t.Errorf("a webhook while it waits: %d", status)
	}

	if r := s.call("doctor"); r.code != 3 || strings.Count(r.stdout, "not checked: the token's check failed") < 3 ||
		!strings.Contains(strings.Join(strings.Fields(r.stdout), " "), "open "+s.application()) {
		t.Errorf("doctor before the installation: exit %d, want 3, %s", r.code, r.stdout)
	}

	newVisit(t).expectInstalled(s.application(), "sandbox-retailer")
	w.settles(2)
	if reason := w.paused(); reason != "" {
		t.Errorf("still paused: %s", reason)
	}
	eventually(t, 15*time.Second, "the webhook is registered", func() bool { return len(s.market.Webhooks()) > 0 })
	first := s.market.InstalledTokens()[0]
	if r := s.call("doctor"); r.code != 0 || strings.Contains(r.stdout+r.stderr, first) {
		t.Errorf("doctor beside the worker: exit %d, want 0, %s%s", r.code, r.stdout, r.stderr)
	}

	if _, err := s.market.Carry(sandbox.Order{Do: []string{"uninstall"}}); err != nil {
		t.Fatal(err)
	}
	w.post("/api/v1/sweep", "{}")
	eventually(t, 15*time.Second, "the status says that the app is to be installed again", func() bool {
		return strings.Contains(w.paused(), "(HTTP 401): open "+s.application())
	})
	if status, page := newVisit(t).install(s.market.InstallURL(s.application(), "another"),
		"another"); status != http.StatusConflict {
		t.Errorf("a second account: %d, %s", status, page)
	}
	newVisit(t).expectInstalled(s.market.InstallURL(s.application(), ""), "sandbox-retailer")
	s.add(lamp(9))
	w.post("/api/v1/sweep", "{}")
	w.settles(3)
	for _, want := range []string{`result="installed"} 2`, `result="refused_account"} 1`} {
		w.measures("pubsync_installation_requests_total{" + want)
	}
	w.stop()
	for _, secret := range append(s.market.InstalledTokens(), first, hookSecret) {
		if strings.Contains(w.stderr.String()+w.stdout.String()+string(s.storeBytes()), secret) {
			t.Errorf("a secret was said or kept: %s…", secret[:9])
		}
	}
	s.add(lamp(10))
	if sum := s.once(); sum.Exit != 0 || sum.Created != 1 { // the token outlives the worker
		t.Errorf("the next run: %+v", sum)
	}
	s.set("MARKETPLACE_TOKEN", "a-configured-token-that-is-refused") // it wins
	if sum := s.once(); sum.Exit != 3 || strings.Contains(sum.Error, "install") {
		t.Errorf("a configured token: %+v", sum)
	}
}
