// What the admin listener tells, and to whom. Package admin has the rest.

package main_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Each path is served in its form. Off loopback a token is needed, also by our own commands, which say so where
// they have another.
func TestTheAdminListenerAndItsToken(t *testing.T) {
	unraced(t)
	const token = "admin-t0ken-of-the-owner"
	s := open(t, sandbox.Options{})
	s.lamps(2)
	_, port, _ := strings.Cut(freePort(t), ":")
	s.set("ADMIN_LISTEN", "0.0.0.0:"+port)
	if r := s.ends(2, "run"); !strings.Contains(r.stderr, "PUBSYNC_ADMIN_TOKEN") {
		t.Errorf("without a token: %s", r.stderr)
	}
	s.set("ADMIN_TOKEN", token)
	w := s.start()
	w.admin = "http://127.0.0.1:" + port
	eventually(t, commandBound, "all is on sale", func() bool { return w.ready() && s.shop.onSale() == 2 })
	s.ends(0, "run", "--once") // with the token the worker is asked
	if res, _ := w.ask("GET", "/metrics", "", nil); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the metrics without the token: %s, want 401", res.Status)
	}
	for path, want := range map[string][3]string{
		"/livez": {"200", "text/plain", ""}, "/readyz": {"200", "text/plain", ""}, "/": {"200", "text/html", "<title>"},
		"/metrics":                     {"200", "text/plain", "\npubsync_publications{state=\"live\"} 2\n"},
		"/api/v1/status":               {"200", "application/json", `"lastError":null`},
		"/api/v1/publications?limit=1": {"200", "application/json", `"after":"`},
		"/api/v1/publications/%252F":   {"404", "text/plain", ""},
	} {
		res, body := w.ask("GET", path, "", map[string]string{"Authorization": "Bearer " + token})
		if res.Status[:3] != want[0] || !strings.HasPrefix(res.Header.Get("Content-Type"), want[1]) ||
			!strings.Contains(body, want[2]) {
			t.Errorf("GET %s: %s, %s %s, want %q", path, res.Status, res.Header.Get("Content-Type"), tail(body), want)
		}
	}
	for _, args := range [][]string{{"status"}, {"run", "--once"}, {"backup", "copy.db"}, {"doctor"}} {
		r := s.callWith([]string{"ADMIN_TOKEN", "guess-of-a-neighbour"}, args...)
		if said := r.stdout + r.stderr; r.code != 5 || !strings.Contains(said, "PUBSYNC_ADMIN_TOKEN") ||
			strings.Contains(said, "guess") {
			t.Errorf("pubsync %s with another token: exit %d, %s", args[0], r.code, said)
		}
	}
	w.stop()
}
