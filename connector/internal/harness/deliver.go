package harness

import (
	"net/http"
	"net/http/httptest"

	"github.com/pubsync/pubsync/connector"
)

// HookAddress is where the webhook is registered.
const HookAddress = "https://hooks.shop.example/webhooks"

// Deliver has a connector receive a webhook, and returns its answer.
func Deliver(c *connector.Connector, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.WebhookHandler().ServeHTTP(w, r)
	return w
}

// HookBody names the publication p1.
const HookBody = `{"data":{"publication":{"id":"p1"}}}`
