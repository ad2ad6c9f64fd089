// Changed price rules reach what is on sale, under the brake.

package main_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// onPages has the lamps sold on the pages of a catalogue, whose adapter takes prices and stock
// alone.
func onPages(s *site) {
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", filepath.Join(s.dir, "pages"), "CATALOG_URL", "https://lamps.example/",
		"HTTP_URL", "", "HTTP_TOKEN", "")
}

// Beside a worker a plan is made with the caller's rules, and the settings that differ are warned of.
func TestRulesBesideAWorker(t *testing.T) {
	s := open(t, sandbox.Options{})
	onPages(s)
	ids := s.lamps(2)
	if err := writeFile(filepath.Join(s.dir, "shop.env"), "PUBSYNC_PRICE_ADD=1\n"); err != nil {
		t.Fatal(err)
	}
	w := s.workWith([]string{"run", "--env-file", "shop.env"})
	w.settles(2)

	r := s.callWith([]string{"PRICE_MARKUP_PERCENT", "10", "RESYNC_SCHEDULE", "@every 3h"}, "plan", "--env-file",
		"shop.env", "--json")
	p := s.planOf(r)
	if i := slices.IndexFunc(p.Change, func(c planned) bool { return c.ID == ids[0] && c.Field == "price" }); i < 0 ||
		p.Change[i].Old != "21.00" ||
		p.Change[i].New != "23.00" {
		t.Errorf("the plan is %+v", p)
	}
	for _, said := range []string{
		"planned with your rules of prices and stock", "PUBSYNC_PRICE_MARKUP_PERCENT",
		"the worker's settings count, and differ", "PUBSYNC_RESYNC_SCHEDULE",
	} {
		if !strings.Contains(r.stderr, said) {
			t.Errorf("standard error lacks %q: %s", said, r.stderr)
		}
	}
	if p := s.planOf(s.call("plan", "--env-file", "shop.env", "--json")); len(p.Change)+len(p.Held) > 0 {
		t.Errorf("with the worker's own rules the plan is %+v", p)
	}
	w.stop()
}
