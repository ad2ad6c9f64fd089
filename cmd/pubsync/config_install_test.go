// A public app is installed, and the worker waits for its token.

package main_test

import (
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// install opens an address as a person with a browser does; the marketplace consents.
func install(t *testing.T, address string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Jar: jar}).Get(address)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusOK || res.Request.URL.Path != "/oauth/finish" {
		t.Fatalf("%s led to %s, which answered %s", address, res.Request.URL.Path, res.Status)
	}
}

// paused is the marketplace's pause in the status of a worker, "" for none.
func (w *worker) paused() string {
	w.t.Helper()
	var st desk.Status
	w.get("/api/v1/status", &st)
	return st.Marketplace.Reason
}

// TestAPublicApp is the life of an installation: the worker waits for it, goes on with it, says
// when the app was removed, and goes on with the next one. Package install has the rest.
func TestAPublicApp(t *testing.T) {
	s := open(t, sandbox.Options{})
	listen := freePort(t)
	s.set("MARKETPLACE_TOKEN", "", "OAUTH_CLIENT_ID", sandbox.DefaultClientID, "OAUTH_CLIENT_SECRET", hookSecret,
		"OAUTH_AUTH_URL", s.market.URL, "WEBHOOK_LISTEN", listen, "WEBHOOK_URL", "http://"+listen+"/webhooks")
	application := "http://" + listen + "/oauth/install"
	s.lamps(2)
	w := s.work("WEBHOOK_SECRET", "", "WEBHOOK_PATH_TOKEN", "", "WEBHOOK_LISTEN", listen, "LOG_LEVEL", "debug")
	w.logs("open " + application)
	if r := s.ends(3, "doctor"); !strings.Contains(strings.Join(strings.Fields(r.stdout), " "), "open "+application) {
		t.Errorf("doctor before the installation: %s", r.stdout)
	}
	if n := len(s.market.Requests()); n != 0 {
		t.Errorf("%d requests were sent without a token", n)
	}
	install(t, application)
	w.settles(2)
	if _, err := s.market.Carry(sandbox.Order{Do: []string{"uninstall"}}); err != nil {
		t.Fatal(err)
	}
	w.post("/api/v1/sweep", "{}")
	eventually(t, 15*time.Second, "the status says that the app is to be installed again", func() bool {
		return strings.Contains(w.paused(), "(HTTP 401): open "+application)
	})
	install(t, s.market.InstallURL(application, ""))
	s.add(lamp(9))
	w.post("/api/v1/sweep", "{}")
	w.settles(3)
	w.measures(`pubsync_installation_requests_total{result="installed"} 2`)
	w.stop()
	for _, secret := range append(s.market.InstalledTokens(), hookSecret) {
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
