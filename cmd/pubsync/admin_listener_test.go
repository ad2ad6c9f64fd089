// What the admin listener tells, and to whom. Package admin has the rest.

package main_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Off loopback a token is needed, also by our own commands, which say so where they have another.
func TestTheAdminListenerAndItsToken(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	s.lamps(1)
	_, port, _ := strings.Cut(freePort(t), ":")
	s.set("ADMIN_LISTEN", "0.0.0.0:"+port)
	if r := s.call("run"); r.code != 2 || !strings.Contains(r.stderr, "PUBSYNC_ADMIN_TOKEN") {
		t.Errorf("without a token: exit %d, %s", r.code, r.stderr)
	}
	s.set("ADMIN_TOKEN", "admin-t0ken-of-the-owner")
	w := s.work()
	w.admin = "http://127.0.0.1:" + port
	if res, _ := w.ask("GET", "/metrics", "", nil); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the metrics without the token: %s, want 401", res.Status)
	}
	for _, args := range [][]string{
		{"status"}, {"run", "--once"}, {"retry", "--failed"}, {"backup", "copy.db"}, {"doctor"},
	} {
		r := s.callWith([]string{"ADMIN_TOKEN", "guess-of-a-neighbour"}, args...)
		if said := r.stdout + r.stderr; r.code != 5 || !strings.Contains(said, "PUBSYNC_ADMIN_TOKEN") ||
			strings.Contains(said, "guess") {
			t.Errorf("pubsync %s with another token: exit %d, %s", args[0], r.code, said)
		}
		if r := s.call(args...); r.code != 0 {
			t.Errorf("pubsync %s: exit %d, want 0, %s", args[0], r.code, r.stderr)
		}
	}
	w.stop()
}

func keysOf(t *testing.T, raw []byte) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("not an object: %v: %s", err, raw)
	}
	return slices.Sorted(maps.Keys(m))
}

// Each path is served in its form.
func TestTheAdminListenerTellsHowThingsStand(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.market.AddSound(7)
	w := s.work()
	w.settles(7)
	for path, want := range map[string][3]string{
		"/livez": {"200", "text/plain", ""}, "/readyz": {"200", "text/plain", ""}, "/": {"200", "text/html", "<title>"},
		"/metrics":                     {"200", "text/plain", "\npubsync_publications{state=\"live\"} 7\n"},
		"/api/v1/status":               {"200", "application/json", `"lastError":null`},
		"/api/v1/publications?limit=1": {"200", "application/json", `"after":"`},
		"/api/v1/publications/%252F":   {"404", "text/plain", ""},
	} {
		res, body := w.ask("GET", path, "", nil)
		if res.Status[:3] != want[0] || !strings.HasPrefix(res.Header.Get("Content-Type"), want[1]) ||
			!strings.Contains(body, want[2]) {
			t.Errorf("GET %s: %s, %s %s, want %q", path, res.Status, res.Header.Get("Content-Type"), tail(body), want)
		}
	}
	w.stop()
}
