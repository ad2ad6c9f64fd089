package engine

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Each account has a label. Those of the process come once, and webhooks of no account are counted
// without a label.
func TestOfAccounts(t *testing.T) {
	all := map[string]*Metrics{"": NewMetrics(), "one": NewMetrics(), "two": NewMetrics()}
	all[""].Webhook("other_account")
	all["one"].Webhook("accepted")
	all["two"].Webhook("accepted")
	all["two"].Webhook("accepted")
	all["one"].looks.Observe(.02)
	all["two"].looks.Observe(1)
	w := httptest.NewRecorder()
	MetricsOfAccounts(func() map[string]*Metrics { return all }).
		ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`pubsync_webhooks_total{account="one",result="accepted"} 1`,
		`pubsync_webhooks_total{account="two",result="accepted"} 2`,
		`pubsync_webhooks_total{result="other_account"} 1`,
		`pubsync_look_seconds_count{account="one"} 1`,
	} {
		if n := strings.Count("\n"+w.Body.String(), "\n"+want+"\n"); n != 1 {
			t.Errorf("%d lines %q, want one", n, want)
		}
	}
	if n := strings.Count(w.Body.String(), "\ngo_goroutines "); n != 1 {
		t.Errorf("the process has %d goroutine gauges, want one", n)
	}
}
