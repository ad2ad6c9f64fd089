// Changed price rules reach what is on sale, under the brake.

package main_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// onPages has the lamps sold on the pages of a catalogue, whose adapter takes prices and stock
// alone.
func onPages(s *site) {
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", filepath.Join(s.dir, "pages"), "CATALOG_URL", "https://lamps.example/",
		"HTTP_URL", "", "HTTP_TOKEN", "")
}

// written is the prices of a publication's variants as explain shows them.
func (s *site) written(id string) (prices []string) {
	s.t.Helper()
	var e struct{ Variants []struct{ Price string } }
	s.call("explain", id, "--json").decode(s.t, &e)
	for _, v := range e.Variants {
		prices = append(prices, v.Price)
	}
	return prices
}

// Beside a worker a plan is made with the caller's rules. The worker tells of an env file that
// holds others than its own, and takes them at its next start.
func TestRulesBesideAWorker(t *testing.T) {
	s := open(t, sandbox.Options{})
	onPages(s)
	ids := s.lamps(2)
	env := filepath.Join(s.dir, "shop.env")
	write := func(content string) {
		t.Helper()
		if err := writeFile(env, content); err != nil {
			t.Fatal(err)
		}
	}
	write("PUBSYNC_PRICE_ADD=1\n")
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

	waits := func() []string {
		var told struct {
			Rules struct{ NextStart []string }
		}
		w.get("/api/v1/status", &told)
		return told.Rules.NextStart
	}
	write("PUBSYNC_PRICE_ADD=2\n")
	s.call("run", "--once") // which has the files read again
	eventually(t, 90*time.Second, "status tells of the new rules",
		func() bool { return slices.Equal(waits(), []string{"PUBSYNC_PRICE_ADD"}) })
	if r := s.call("status"); !strings.Contains(r.stdout, "apply from the next start on: PUBSYNC_PRICE_ADD") {
		t.Errorf("status says %s", r.stdout)
	}
	if got := s.written(ids[0])[0]; got != "21.00" {
		t.Errorf("the running worker makes the price %s", got)
	}
	w.stop()
	if !strings.Contains(w.stderr.String(), "they apply from the next start on") {
		t.Errorf("nothing is logged: %s", tail(w.stderr.String()))
	}
	w = s.workWith([]string{"run", "--env-file", "shop.env"})
	eventually(t, 20*time.Second, "the new price is written", func() bool { return s.written(ids[0])[0] == "22.00" })
	if got := waits(); len(got) > 0 {
		t.Errorf("after the start %v wait still", got)
	}
	w.stop()
}
