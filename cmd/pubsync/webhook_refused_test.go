// Webhooks that are refused are told of.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A registration whose deliveries are refused is told of before it is deleted.
func TestRefusedDeliveriesAreToldOf(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(1)
	w := s.work()
	w.settles(1)
	body := created(ids[0])
	deliver := func(signed string, want int) {
		t.Helper()
		res, _ := ask(t, http.MethodPost, w.hooks+"/webhooks", body, map[string]string{
			"X-Service-Signature": signed, "X-Service-Event": "PUBLICATION_CREATED",
		})
		if res.StatusCode != want {
			t.Errorf("answered with %d, want %d", res.StatusCode, want)
		}
	}
	for range 3 {
		deliver(signature(body+" "), http.StatusUnauthorized)
	}
	w.measures("pubsync_webhook_refused_in_a_row 3")
	type status struct {
		Webhook struct {
			Refused *struct {
				InARow, Allowed int
				Why             string
			}
		}
	}
	var st status
	w.get("/api/v1/status", &st)
	if r := st.Webhook.Refused; r == nil || r.InARow != 3 || r.Allowed != 19 || r.Why != "signature" {
		t.Errorf("status tells of %+v", r)
	}
	if said := s.callWith([]string{"ADMIN_LISTEN", strings.TrimPrefix(w.admin, "http://")},
		"status").stdout; !strings.Contains(said, "3 refused in a row") ||
		!strings.Contains(said, "PUBSYNC_WEBHOOK_SECRET") {
		t.Errorf("status says: %s", said)
	}
	deliver(signature(body), http.StatusNoContent)
	st = status{}
	if w.get("/api/v1/status", &st); st.Webhook.Refused != nil {
		t.Errorf("an acknowledged delivery does not end the row: %+v", st.Webhook.Refused)
	}
	w.stop()
}

// A webhook that no app registered is not signed. Where such ones come to the address of signed
// ones, everything that tells of deliveries says what to do.
func TestUnsignedWebhooksAreToldApart(t *testing.T) {
	for _, tt := range []struct{ name, secret string }{{"beside an app's secret", hookSecret}, {"without one", ""}} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(1)
			w := s.work("WEBHOOK_SECRET", tt.secret, "WEBHOOK_PATH_TOKEN", pathToken)
			w.settles(1)
			s.market.SetChannelWebhook(w.hooks + "/webhooks")
			if err := s.market.SetPrice(s.market.Publications()[0].ID, "", "10.00", "21.00"); err != nil {
				t.Fatal(err)
			}
			w.measures(`pubsync_webhooks_total{result="refused_unsigned"} 1`)
			eventually(t, 5*time.Second, "the log says so",
				func() bool { return strings.Contains(w.stderr.String(), "webhooks arrive that are not signed") })
			for _, command := range []string{"status", "doctor"} {
				said := s.call(command).stdout
				if !strings.Contains(said, "not signed") || !strings.Contains(said, "PUBSYNC_WEBHOOK_PATH_TOKEN") ||
					!strings.Contains(said, "PUBSYNC_WEBHOOK_HEADER_PREFIX") ||
					strings.Contains(said, "another secret") {
					t.Errorf("%s says %s", command, said)
				}
			}
			w.stop()
		})
	}
}
