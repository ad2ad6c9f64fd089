// Entries that another tool made are held.

package main_test

import (
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestEntriesThatAnotherToolMadeAreHeld(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(3)
	for _, id := range ids[:2] {
		if err := s.market.SetStatus(id, "success"); err != nil {
			t.Fatal(err)
		}
	}
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", filepath.Join(s.dir, "pages"), "CATALOG_URL", "https://lamps.example/",
		"HTTP_URL", "", "HTTP_TOKEN", "")
	if p := s.planOf(s.call("plan", "--json")); len(p.Held) != 2 || len(p.Create) != 1 {
		t.Errorf("the plan: %+v", p)
	}
	if sum := s.once(); sum.Exit != 1 || sum.Held != 2 || sum.Created != 1 {
		t.Errorf("the first run: %+v", sum)
	}
	if held := s.lines("held"); held[ids[0]].Error == "" || len(held) != 2 {
		t.Errorf("held: %+v", held)
	}
	if r := s.call("approve", ids[0]); r.code != 0 {
		t.Fatalf("approve: exit %d, want 0, %s", r.code, r.stderr)
	}
	if sum := s.once(); sum.Held != 1 || sum.Created != 1 {
		t.Errorf("after one approval: %+v", sum)
	}
	s.expectState(ids[0], "live")
	s.expectState(ids[1], "held")
}
