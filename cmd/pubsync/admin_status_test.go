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

// states is every state of a publication.
var states = []string{"blocked", "held", "live", "partial", "pending", "rejected", "withdrawn"}

func keysOf(t *testing.T, raw []byte) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("not an object: %v: %s", err, raw)
	}
	return slices.Sorted(maps.Keys(m))
}

func TestTheAdminListenerTellsHowThingsStand(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.market.AddSound(7)
	w := s.work()
	w.settles(7)

	for _, path := range []string{"/livez", "/readyz"} {
		if res, _ := w.ask("GET", path, "", nil); res.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %s", path, res.Status)
		}
	}
	res, page := w.ask("GET", "/", "", nil)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") ||
		!strings.Contains(page, "<") {
		t.Errorf("the dashboard: %s, %s", res.Status, res.Header.Get("Content-Type"))
	}

	if res, text := w.ask("GET", "/metrics", "", nil); !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") ||
		!strings.Contains(text, "\npubsync_publications{state=\"live\"} 7\n") || !strings.Contains(text, "\ngo_goroutines ") {
		t.Errorf("the metrics: %s, %s", res.Header.Get("Content-Type"), tail(text))
	}

	t.Run("status", func(t *testing.T) {
		_, body := w.ask("GET", "/api/v1/status", "", nil)
		var st struct {
			Publications            map[string]int
			Due, Outbox             *int
			Budget, Sweeps, Webhook json.RawMessage
			LastError               json.RawMessage
		}
		if err := json.Unmarshal([]byte(body), &st); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(states, slices.Sorted(maps.Keys(st.Publications))); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if st.Publications["live"] != 7 || st.Due == nil || st.Outbox == nil || string(st.LastError) != "null" {
			t.Errorf("status: %s", body)
		}
	})

	t.Run("publications in pages", func(t *testing.T) {
		var got []string
		after := ""
		for page := 0; ; page++ {
			_, body := w.ask("GET", "/api/v1/publications?limit=3&after="+url.QueryEscape(after), "", nil)
			var list struct {
				Publications []line
				After        string
			}
			if err := json.Unmarshal([]byte(body), &list); err != nil {
				t.Fatal(err)
			}
			for _, l := range list.Publications {
				got = append(got, l.ID)
				held := s.shop.product(t, l.ID)
				if l.State != "live" || l.Reported != "success" || l.ShopID != string(held.Listing) ||
					l.URL != addressOf(held.Listing) ||
					l.Title == "" {
					t.Errorf("a publication: %+v", l)
				}
			}
			if after = list.After; after == "" {
				break
			}
			if page > 3 {
				t.Fatal("the pages do not end")
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(slices.Sorted(slices.Values(ids)), got); diff != "" {
			t.Errorf("all pages together (-want +got):\n%s", diff)
		}
		for _, query := range []string{"?state=sold", "?limit=0", "?limit=x", "?after=%21"} {
			if res, _ := w.ask("GET", "/api/v1/publications"+query, "", nil); res.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s, want 400", query, res.Status)
			}
		}
		var none struct{ Publications []line }
		w.get("/api/v1/publications?state=held", &none)
		if none.Publications == nil || len(none.Publications) != 0 {
			t.Errorf("held: %v, want an empty list", none.Publications)
		}
	})

	t.Run("one publication", func(t *testing.T) {
		_, body := w.ask("GET", "/api/v1/publications/"+url.PathEscape(ids[0]), "", nil)
		if !strings.Contains(body, ids[0]) {
			t.Errorf("explanation: %s", body)
		}
		r := s.call("explain", ids[0], "--json")
		if r.code != 0 || !slices.Equal(keysOf(t, []byte(r.stdout)), keysOf(t, []byte(body))) {
			t.Errorf("explain prints something else: exit %d, want 0, %s", r.code, r.stdout)
		}
		for _, id := range []string{"nobody", "../status", "%2F"} {
			res, _ := w.ask("GET", "/api/v1/publications/"+url.PathEscape(id), "", nil)
			if res.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %s, want 404", id, res.Status)
			}
		}
	})
	w.stop()
}
