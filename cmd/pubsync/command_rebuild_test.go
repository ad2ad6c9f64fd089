// rebuild takes over what the shop lists.

package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestRebuildTakesOverWhatTheShopLists(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.market.AddSound(5)
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", filepath.Join(s.dir, "pages"), "CATALOG_URL", "https://lamps.example/",
		"HTTP_URL", "", "HTTP_TOKEN", "")
	s.imported()
	if r := s.call("rebuild"); r.code != 2 || r.stdout != "" {
		t.Errorf("a store that is not empty: exit %d, want 2: %s", r.code, r.stdout)
	}
	w := s.work()
	if r := s.call("rebuild", "--json"); r.code != 2 || r.stdout != "" ||
		!strings.Contains(r.stderr, "only an empty one") {
		t.Errorf("a store that is not empty, beside a worker: exit %d, want 2: %s %s", r.code, r.stdout, r.stderr)
	}
	w.stop()
	s.set("STORE_PATH", filepath.Join(s.dir, "json.db"))
	var printed struct{ Listings int }
	if r := s.call("rebuild", "--json"); r.code != 0 {
		t.Errorf("rebuild --json: exit %d, want 0, %s", r.code, r.stderr)
	} else if r.decode(t, &printed); printed.Listings != 5 {
		t.Errorf("rebuild --json: %s", r.stdout)
	}
	s.set("STORE_PATH", filepath.Join(s.dir, "anew.db"))
	if r := s.call("rebuild"); r.code != 0 || !strings.Contains(r.stdout, "5") {
		t.Errorf("rebuild: exit %d, want 0, %s %s", r.code, r.stdout, r.stderr)
	}
	before, _ := pagesIn(t, filepath.Join(s.dir, "pages"))
	if sum := s.imported(); sum.Created != 0 || sum.Held != 0 {
		t.Errorf("the run after it: %+v", sum)
	}
	if after, _ := pagesIn(t, filepath.Join(s.dir, "pages")); len(after) != len(before) {
		t.Errorf("%d pages became %d", len(before), len(after))
	}
}
