//go:build unix

// The accounts of a public app are installed at one redirect address.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// An installation that is begun for an account ends in that account. From then on the marketplace's
// id tells the account, and of one without a configuration nothing is stored.
func TestAccountsAreInstalled(t *testing.T) {
	e := openEstate(t)
	listen := freePort(t)
	market := sandbox.Start(sandbox.Options{Token: marketToken, Secret: hookSecret, RestoreRate: 20_000})
	t.Cleanup(market.Close)
	for _, name := range []string{"one", "two"} {
		s := e.move(name)
		s.market = market
		s.set("MARKETPLACE_URL", market.URL, "MARKETPLACE_TOKEN", "", "OAUTH_CLIENT_ID", sandbox.DefaultClientID,
			"OAUTH_CLIENT_SECRET", hookSecret, "OAUTH_AUTH_URL", market.URL, "WEBHOOK_URL", "http://"+listen+"/webhooks",
			"WEBHOOK_SECRET", "", "WEBHOOK_PATH_TOKEN", "")
		e.write(name)
	}
	market.Add(sandbox.Publication{Listing: lamp(1)})
	w := e.work("WEBHOOK_LISTEN", listen, "WEBHOOK_SECRET", "", "WEBHOOK_PATH_TOKEN", "")
	const id = "account-of-one"
	eventually(t, 20*time.Second, "one can be installed", func() bool {
		res, err := http.Get(w.hooks + "/one/oauth/install")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})

	status, page := newVisit(t).install(w.hooks+"/oauth/install", id)
	if status != http.StatusForbidden || !strings.Contains(page, "no such account") {
		t.Errorf("an account that nobody configured: %d, want 403 and a page that says so\n%s", status, page)
	}
	newVisit(t).expectInstalled(w.hooks+"/one/oauth/install", id)
	e.live("one", 1)
	if got := e.sites["two"].shop.onSale(); got != 0 {
		t.Errorf("two sells %d products without an installation, want none", got)
	}
	eventually(t, 20*time.Second, "the id is known", func() bool {
		status, _ := newVisit(t).install(w.hooks+"/oauth/install", id)
		return status == http.StatusOK
	})
	w.measures(`pubsync_installation_requests_total{result="refused_account"}`)
	w.stop()
}
