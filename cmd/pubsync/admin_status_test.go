// What the admin listener tells.

package main_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func keysOf(t *testing.T, raw []byte) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("not an object: %v: %s", err, raw)
	}
	return slices.Sorted(maps.Keys(m))
}

// Each path answers in its form, and of a publication as the command does.
func TestTheAdminListenerTellsHowThingsStand(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.market.AddSound(7)
	w := s.work()
	w.settles(7)
	for path, want := range map[string][3]string{
		"/livez": {"200", "text/plain", ""}, "/readyz": {"200", "text/plain", ""}, "/": {"200", "text/html", "<title>"},
		"/metrics":                        {"200", "text/plain", "\npubsync_publications{state=\"live\"} 7\n"},
		"/api/v1/status":                  {"200", "application/json", `"lastError":null`},
		"/api/v1/publications?limit=1":    {"200", "application/json", `"after":"`},
		"/api/v1/publications?state=held": {"200", "application/json", `"publications":[]`},
		"/api/v1/publications/nobody":     {"404", "text/plain", ""},
		"/api/v1/publications/%252F":      {"404", "text/plain", ""},
	} {
		res, body := w.ask("GET", path, "", nil)
		if res.Status[:3] != want[0] || !strings.HasPrefix(res.Header.Get("Content-Type"), want[1]) ||
			!strings.Contains(body, want[2]) {
			t.Errorf("GET %s: %s, %s %s, want %q", path, res.Status, res.Header.Get("Content-Type"), tail(body), want)
		}
	}
	var st status
	w.get("/api/v1/status", &st)
	states := []string{"blocked", "held", "live", "partial", "pending", "rejected", "withdrawn"}
	if diff := cmp.Diff(states, slices.Sorted(maps.Keys(st.Publications))); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	var list struct{ Publications []line }
	w.get("/api/v1/publications", &list)
	for _, l := range list.Publications {
		held := s.shop.product(t, l.ID)
		if l.State != "live" || l.Reported != "success" || l.ShopID != string(held.Listing) || l.Title == "" ||
			l.URL != addressOf(held.Listing) {
			t.Errorf("a publication: %+v", l)
		}
	}
	res, body := w.ask("GET", "/api/v1/publications/"+url.PathEscape(ids[0]), "", nil)
	r := s.call("explain", ids[0], "--json")
	if res.StatusCode != http.StatusOK || !slices.Equal(keysOf(t, []byte(r.stdout)), keysOf(t, []byte(body))) {
		t.Errorf("explain prints something else: exit %d, want 0, %s", r.code, r.stdout)
	}
	w.stop()
}
