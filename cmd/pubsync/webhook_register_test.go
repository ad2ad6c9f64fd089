// The webhook is registered.

package main_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A custom integration has no app's secret: its address ends in the path token, and what comes
// there is a hint.
func TestAnAddressWithThePathTokenIsRegistered(t *testing.T) {
	s := open(t, sandbox.Options{})
	listen := freePort(t)
	address := "http://" + listen + "/webhooks/" + pathToken
	w := s.work("WEBHOOK_LISTEN", listen, "WEBHOOK_URL", address, "WEBHOOK_SECRET", "", "WEBHOOK_EVENTS",
		"PUBLICATION_CREATED, PRODUCT_UPDATED,MOON_ROSE")
	var st struct {
		Webhook struct {
			Active        bool
			UnknownEvents []string
		}
	}
	eventually(t, 10*time.Second, "registered, without the event that the marketplace does not know", func() bool {
		w.get("/api/v1/status", &st)
		hooks := s.market.Webhooks()
		return st.Webhook.Active && slices.Equal(st.Webhook.UnknownEvents, []string{"MOON_ROSE"}) && len(hooks) == 1 &&
			hooks[0].CallbackURL == address &&
			slices.Equal(hooks[0].Events, []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"})
	})
	w.logs("MOON_ROSE") // the event that is left out is warned of
	id := s.add(lamp(1))
	eventually(t, 10*time.Second, "on sale by the marketplace's own webhook",
		func() bool { return len(s.reported(id)) == 1 })
	_, status := w.ask("GET", "/api/v1/status", "", nil)
	w.stop()
	s.set("WEBHOOK_URL", address, "WEBHOOK_PATH_TOKEN", pathToken, "WEBHOOK_LISTEN", listen, "WEBHOOK_EVENTS",
		"PRODUCT_UPDATED")
	for _, said := range []string{
		w.stderr.String(), status, s.call("doctor").stdout,
	} {
		if said == "" || strings.Contains(said, pathToken) {
			t.Errorf("says nothing, or the path token: %s", said)
		}
	}
	if n := len(s.market.Webhooks()); n != 1 {
		t.Errorf("%d registrations", n)
	}
	s.market.DeleteWebhook(s.market.Webhooks()[0].ID)
	s.imported()
	if n := len(s.market.Webhooks()); n != 0 {
		t.Errorf("a single run made %d registrations", n)
	}
}
