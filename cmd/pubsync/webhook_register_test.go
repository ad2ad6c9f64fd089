// The webhook is registered, and registered again.

package main_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestTheWebhookIsRegisteredAndRegisteredAgain(t *testing.T) {
	s := open(t, sandbox.Options{})
	listen := freePort(t)
	address := "http://" + listen + "/webhooks"
	w := s.work("WEBHOOK_LISTEN", listen, "WEBHOOK_URL", address, "RESYNC_SCHEDULE", "@every 1s")
	registered := func() bool {
		hooks := s.market.Webhooks()
		return len(hooks) == 1 && hooks[0].Active && hooks[0].CallbackURL == address &&
			slices.Equal(hooks[0].Events, []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"})
	}
	eventually(t, 5*time.Second, "registered", registered)
	w.logs("PUBSYNC_WEBHOOK_URL") // a loopback address is warned of
	// The sandbox delivers to it.
	id := s.add(lamp(1))
	eventually(t, 5*time.Second, "on sale by the marketplace's own webhook",
		func() bool { return len(s.reported(id)) == 1 })

	s.market.DeleteWebhook(s.market.Webhooks()[0].ID)
	eventually(t, 8*time.Second, "registered again", registered)
	var st struct {
		Webhook struct {
			URL    string
			Active bool
		}
	}
	eventually(t, 5*time.Second, "status tells of it", func() bool {
		w.get("/api/v1/status", &st)
		return st.Webhook.Active && st.Webhook.URL == address
	})
	w.stop()

	// A second start finds it, and a single run never registers.
	w = s.work("WEBHOOK_LISTEN", listen, "WEBHOOK_URL", address)
	w.settles(1)
	w.stop()
	if !registered() {
		t.Errorf("after a restart: %+v", s.market.Webhooks())
	}
	s.market.DeleteWebhook(s.market.Webhooks()[0].ID)
	s.set("WEBHOOK_URL", address, "WEBHOOK_SECRET", hookSecret, "WEBHOOK_LISTEN", listen)
	s.imported()
	if n := len(s.market.Webhooks()); n != 0 {
		t.Errorf("a single run made %d registrations", n)
	}
}

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
}
