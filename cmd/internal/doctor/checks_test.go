package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// The doctor goes by what the marketplace said to the worker.
func TestWebhook(t *testing.T) {
	const address = "https://hooks.shop.example/webhooks"
	for _, tt := range []struct {
		name       string
		knows      []string // in its schema
		registered []string
		worker     desk.Registration
		ok         bool
		says       string
	}{
		{
			name: "an event is unknown to the schema", knows: []string{"PUBLICATION_CREATED"},
			registered: []string{"PUBLICATION_CREATED"}, ok: true, says: "does not know it: PRODUCT_UPDATED",
		},
		{
			name: "an event was unknown to the marketplace", registered: []string{"PUBLICATION_CREATED"},
			worker: desk.Registration{Unknown: []string{"PRODUCT_UPDATED"}}, ok: true,
			says: "does not know it: PRODUCT_UPDATED",
		},
		{name: "all are unknown to the schema", knows: []string{"ORDER_CREATED"}, says: "knows none of"},
		{
			name: "the worker cannot register", worker: desk.Registration{Error: "callbackUrl is not reachable"},
			says: "PRODUCT_UPDATED: callbackUrl is not reachable",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := sandbox.Options{Token: "token"}
			if tt.knows != nil {
				o.Events, o.Schema = tt.knows, [][2]string{{"events: [String!]!", "events: [WebhookEvent!]!"}}
			}
			box := sandbox.New(o)
			defer box.Close()
			market := marketplace.New(marketplace.Config{
				URL: "https://market.example", Token: "token", Transport: box.Transport(),
			})
			if len(tt.registered) > 0 {
				if _, err := market.RegisterWebhook(t.Context(), address, tt.registered); err != nil {
					t.Fatal(err)
				}
			}
			x := &examination{
				Setup: &setup.Setup{Config: &config.Config{}}, market: market, status: desk.Status{Webhook: tt.worker},
			}
			x.WebhookURL, x.WebhookEvents = address, []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"}
			text, err := x.checkWebhook(t.Context())
			if err != nil {
				text = err.Error()
			}
			if (err == nil) != tt.ok || !strings.Contains(text, tt.says) {
				t.Errorf("error %v, says %q, want it ok %t, with %q", err, text, tt.ok, tt.says)
			}
		})
	}
}

// A page that shows something else than the product fails; one that cannot be judged does not.
func TestPage(t *testing.T) {
	to := map[string]string{
		"/closed": "/password", "/renamed": "/products/lamp", "/loop": "/loop", "/?drop=1": "/",
	}
	is := map[string]int{"/gone": 410, "/missing": 404, "/basic": 401, "/robots": 403, "/busy": 503}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case to[r.URL.String()] != "":
			http.Redirect(w, r, to[r.URL.String()], http.StatusFound)
		case is[r.URL.Path] != 0:
			w.WriteHeader(is[r.URL.Path])
		}
	}))
	defer shop.Close()
	for path, want := range map[string]string{
		"/products/lamp": "visitors see the product", "/?p=7": "visitors see the product",
		"/renamed": " see " + shop.URL + "/products/lamp", "/closed": " get " + shop.URL + "/password",
		"/?drop=1": " get " + shop.URL + "/: 200",
		"/basic":   " get " + shop.URL + "/basic: 401", "/missing": " get " + shop.URL, "/gone": " get " + shop.URL,
		"/robots": "nothing can be told", "/busy": "nothing can be told", "/loop": "nothing can be told",
	} {
		x := &examination{Setup: &setup.Setup{Config: &config.Config{}}, page: shop.URL + path}
		text, err := x.checkPage(t.Context())
		if err != nil {
			text = err.Error()
		}
		if fails := strings.Contains(want, " get "); !strings.Contains(text, want) || fails != (err != nil) {
			t.Errorf("%s: %q, %v, want %q, and a failure %t", path, text, err, want, fails)
		}
	}
}
