// Webhooks that are refused are told of.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A registration whose deliveries are refused is told of before it is deleted. A webhook that no app
// registered is not signed: where such ones come to the address of signed ones, everything that tells
// of deliveries says what to do.
func TestRefusedDeliveriesAreToldOf(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	body := created(id)
	deliver := func(signed string, want int) {
		t.Helper()
		res, _ := ask(t, http.MethodPost, w.hooks+"/webhooks", body, map[string]string{
			"X-Service-Signature": signed, "X-Service-Event": "PUBLICATION_CREATED",
		})
		if res.StatusCode != want {
			t.Errorf("answered with %d, want %d", res.StatusCode, want)
		}
	}
	deliver(signature(body+" "), http.StatusUnauthorized)
	w.measures("pubsync_webhook_refused_in_a_row 1")
	if said := s.call("status").stdout; !strings.Contains(said, "1 refused in a row") ||
		!strings.Contains(said, "PUBSYNC_WEBHOOK_SECRET") {
		t.Errorf("status says: %s", said)
	}
	deliver(signature(body), http.StatusNoContent)
	s.market.SetChannelWebhook(w.hooks + "/webhooks")
	s.setPrice(id, "10.00", "21.00")
	w.measures(`pubsync_webhooks_total{result="refused_unsigned"} 1`)
	eventually(t, 5*time.Second, "the log says so",
		func() bool { return strings.Contains(w.stderr.String(), "webhooks arrive that are not signed") })
	for _, command := range []string{"status", "doctor"} {
		said := s.call(command).stdout
		if !strings.Contains(said, "not signed") || !strings.Contains(said, "PUBSYNC_WEBHOOK_PATH_TOKEN") ||
			!strings.Contains(said, "PUBSYNC_WEBHOOK_HEADER_PREFIX") || strings.Contains(said, "another secret") {
			t.Errorf("%s says %s", command, said)
		}
	}
	w.stop()
}
