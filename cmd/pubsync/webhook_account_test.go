// Webhooks of another account are passed over.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// The marketplace's own webhook for a new product tells whose account is ours; those of another
// account are acknowledged, counted, and nothing more.
func TestAnotherAccountsWebhooksArePassedOver(t *testing.T) {
	s := open(t, sandbox.Options{Account: "ours-7"})
	ids := s.lamps(1)
	listen := freePort(t)
	w := s.work("WEBHOOK_LISTEN", listen, "WEBHOOK_URL", "http://"+listen+"/webhooks")
	w.settles(1)
	other := func(event, account, body, signed string) int {
		res, _ := ask(t, http.MethodPost, w.hooks+"/webhooks", body, map[string]string{
			"X-Service-Signature": signed, "X-Service-Event": event, "X-Service-Account-Id": account,
		})
		return res.StatusCode
	}
	var st struct {
		Webhook struct {
			Active  bool
			Account string
			Refused *struct {
				InARow, Allowed int
				Why             string
			}
		}
	}
	eventually(t, 10*time.Second, "registered", func() bool {
		w.get("/api/v1/status", &st)
		return st.Webhook.Active
	})
	if st.Webhook.Account != "" || st.Webhook.Refused != nil {
		t.Errorf("before any webhook: %+v", st.Webhook)
	}
	s.add(lamp(2))
	eventually(t, 10*time.Second, "the account is learned", func() bool {
		w.get("/api/v1/status", &st)
		return st.Webhook.Account == "ours-7"
	})
	theirs := created("of-another-list")
	if code := other("PUBLICATION_CREATED", "theirs-8", theirs, signature(theirs)); code != http.StatusNoContent {
		t.Errorf("another account's webhook is answered with %d, want %d", code, http.StatusNoContent)
	}
	throughout(t, 2*time.Second, "it leads to no look", func() bool { return s.contentReads()["of-another-list"] == 0 })
	w.measures(`pubsync_webhooks_total{result="other_account"} 1`)
	if err := s.market.SetPrice(ids[0], "", "10.00", "21.00", sandbox.KeepUpdatedAt, sandbox.NoWebhook); err != nil {
		t.Fatal(err)
	}
	body := created(ids[0])
	if code := other("PUBLICATION_CREATED", "ours-7", body, signature(body)); code != http.StatusNoContent {
		t.Errorf("ours is answered with %d, want %d", code, http.StatusNoContent)
	}
	eventually(t, 10*time.Second, "ours leads to a look", func() bool { return s.prices(ids[0])[0] == "21.00" })

	// A registration whose deliveries are refused is told of before it is deleted.
	for range 3 {
		if code := other("PUBLICATION_CREATED", "ours-7", body, signature(body+" ")); code != http.StatusUnauthorized {
			t.Errorf("another secret's signature is answered with %d, want %d", code, http.StatusUnauthorized)
		}
	}
	w.measures("pubsync_webhook_refused_in_a_row 3")
	w.get("/api/v1/status", &st)
	if r := st.Webhook.Refused; r == nil || r.InARow != 3 || r.Allowed != 19 || r.Why != "signature" {
		t.Errorf("status tells of %+v", r)
	}
	if said := s.callWith([]string{"ADMIN_LISTEN", strings.TrimPrefix(w.admin, "http://")},
		"status").stdout; !strings.Contains(said, "3 refused in a row") ||
		!strings.Contains(said, "PUBSYNC_WEBHOOK_SECRET") {
		t.Errorf("status says: %s", said)
	}
	w.stop()
	if said := s.call("status").stdout; !strings.Contains(said, "3 refused in a row") {
		t.Errorf("without a worker status says: %s", said)
	}

	// The next worker counts on, and a killed one has forgotten no more than the last minutes.
	w = s.work("WEBHOOK_LISTEN", listen, "WEBHOOK_URL", "http://"+listen+"/webhooks")
	w.get("/api/v1/status", &st)
	if r := st.Webhook.Refused; r == nil || r.InARow != 3 {
		t.Errorf("after a restart status tells of %+v", r)
	}
	if code := other("PUBLICATION_CREATED", "ours-7", body, signature(body+" ")); code != http.StatusUnauthorized {
		t.Errorf("another secret's signature is answered with %d, want %d", code, http.StatusUnauthorized)
	}
	w.kill()
	w = s.work("WEBHOOK_LISTEN", listen, "WEBHOOK_URL", "http://"+listen+"/webhooks")
	w.get("/api/v1/status", &st)
	if r := st.Webhook.Refused; r == nil || r.InARow != 4 {
		t.Errorf("after a kill status tells of %+v", r)
	}
	if code := other("PUBLICATION_CREATED", "ours-7", body, signature(body)); code != http.StatusNoContent {
		t.Errorf("ours is answered with %d, want %d", code, http.StatusNoContent)
	}
	st.Webhook.Refused = nil
	if w.get("/api/v1/status", &st); st.Webhook.Refused != nil {
		t.Errorf("an acknowledged delivery does not end the row: %+v", st.Webhook.Refused)
	}
	w.stop()
}

// The marketplace may name an account otherwise in webhooks than at an installation: such webhooks
// are taken, before and after the id is learned.
func TestWebhooksUnderAnotherIDThanTheInstallations(t *testing.T) {
	s := open(t, sandbox.Options{Account: "oauth-1", HookAccount: "4711"})
	s.asApp()
	s.lamps(1)
	w := s.appWorker("SWEEP_SCHEDULE", "0 0 1 1 *", "RESYNC_SCHEDULE", "0 0 1 1 *")
	newVisit(t).expectInstalled(s.market.InstallURL(s.application(), ""), "oauth-1")
	w.settles(1)
	eventually(t, 15*time.Second, "the webhook is registered", func() bool { return len(s.market.Webhooks()) > 0 })
	for n := range 2 {
		s.add(lamp(n + 2))
		w.settles(n + 2)
	}
	var st struct {
		Webhook struct{ Account, InstalledAs string }
	}
	w.get("/api/v1/status", &st)
	if st.Webhook.Account != "4711" || st.Webhook.InstalledAs != "oauth-1" {
		t.Errorf("status tells of %+v", st.Webhook)
	}
	if said := s.call("doctor").stdout; !strings.Contains(said,
		"webhooks name the account 4711, the installation named it oauth-1") {
		t.Errorf("doctor says %s", said)
	}
	w.stop()
	if said := s.call("doctor").stdout; !strings.Contains(said, "webhooks name the account 4711") {
		t.Errorf("without a worker doctor says %s", said)
	}
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
