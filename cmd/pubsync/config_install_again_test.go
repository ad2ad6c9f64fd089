// An app that was removed is installed again without a restart.

package main_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestAnAppIsRemovedAndInstalledAgain has the retailer remove the app by an order to the sandbox.
// The worker pauses and says how to install it again. The next installation for the same account
// ends the pause without a restart. Its token has more scopes: what the first one was refused is
// read at once.
func TestAnAppIsRemovedAndInstalledAgain(t *testing.T) {
	t.Parallel()
	p := openPlayground(t, "--listen", freePort(t), "--publications", "2", "--secret", hookSecret)
	s := &site{t: t, shop: openShop(t), dir: t.TempDir()}
	listen := freePort(t)
	s.env = baseSettings(s.dir, p.address, s.shop.server.URL).with("MARKETPLACE_TOKEN", "", "OAUTH_CLIENT_ID",
		sandbox.DefaultClientID,
		"OAUTH_CLIENT_SECRET", hookSecret, "OAUTH_AUTH_URL", p.address, "WEBHOOK_LISTEN", listen, "WEBHOOK_URL",
		"http://"+listen+"/webhooks")
	w := s.appWorker("OAUTH_SCOPES", "products_read")
	install := func() {
		t.Helper()
		newVisit(t).expectInstalled(s.application(), "sandbox-retailer")
	}
	account := func() *desk.Account {
		t.Helper()
		var told desk.Status
		if err := json.Unmarshal([]byte(s.call("status", "--json").stdout), &told); err != nil {
			t.Fatal(err)
		}
		return told.Account
	}
	install()
	w.settles(2)
	if a := account(); a != nil && a.Slug != "" {
		t.Errorf("a token without account_read tells %+v", a)
	}

	p.order("uninstall")
	w.post("/api/v1/sweep", "{}")
	eventually(t, 15*time.Second, "the worker pauses and says how to install the app again", func() bool {
		return strings.Contains(w.paused(), "(HTTP 401): open "+s.application())
	})
	if r := s.call("status"); !strings.Contains(r.stdout, "open "+s.application()) {
		t.Errorf("the status says:\n%s", r.stdout)
	}
	mug := p.order("add", "mug")[0]
	install()
	eventually(t, 15*time.Second, "the worker goes on",
		func() bool { return w.paused() == "" && s.shop.Products()[mug].OnSale })

	w.stop()
	w = s.appWorker()
	p.order("uninstall")
	install()
	eventually(t, 15*time.Second, "what was refused is known", func() bool {
		a := account()
		return a != nil &&
			a.Slug == "sandbox-retailer"
	})
	if w.paused() != "" {
		t.Errorf("still paused: %s", w.paused())
	}
}
