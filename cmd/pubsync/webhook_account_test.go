// Webhooks that are not signed are told apart.

package main_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

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
