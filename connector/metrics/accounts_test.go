package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Each account has a label, or all are added up. Those of the process come once, and webhooks of no
// account are counted without a label.
func TestOfAccounts(t *testing.T) {
	all := map[string]*Metrics{"": New(), "one": New(), "two": New()}
	all[""].Webhook("other_account")
	all["one"].Webhook("accepted")
	all["two"].Webhook("accepted")
	all["two"].Webhook("accepted")
	all["one"].Looked(20 * time.Millisecond)
	all["two"].Looked(time.Second)
	for _, tt := range []struct {
		labels bool
		want   []string
	}{
		{true, []string{
			`pubsync_webhooks_total{account="one",result="accepted"} 1`,
			`pubsync_webhooks_total{account="two",result="accepted"} 2`,
			`pubsync_webhooks_total{result="other_account"} 1`,
			`pubsync_look_seconds_count{account="one"} 1`,
		}},
		{false, []string{
			`pubsync_webhooks_total{result="accepted"} 3`,
			`pubsync_webhooks_total{result="other_account"} 1`,
			`pubsync_look_seconds_count 2`,
			`pubsync_look_seconds_sum 1.02`,
			`pubsync_look_seconds_bucket{le="0.025"} 1`,
		}},
	} {
		w := httptest.NewRecorder()
		OfAccounts(func() map[string]*Metrics { return all }, tt.labels).
			ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		lines := strings.Split(w.Body.String(), "\n")
		for _, want := range append(tt.want, "") {
			n := 0
			for _, line := range lines {
				if line == want {
					n++
				}
			}
			if n != 1 {
				t.Errorf("labels %t: %d lines %q, want one", tt.labels, n, want)
			}
		}
		if n := strings.Count(w.Body.String(), "\ngo_goroutines "); n != 1 {
			t.Errorf("labels %t: the process has %d goroutine gauges, want one", tt.labels, n)
		}
	}
}
