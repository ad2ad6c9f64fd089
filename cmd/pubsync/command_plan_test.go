// plan says what a run would do, and writes nothing.

package main_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// planOf is the document of a plan, which must end well and have touched nothing.
func (s *site) planOf(r result) (p desk.Plan) {
	s.t.Helper()
	if r.decode(s.t, &p); r.code != 0 || p.Exit != 0 {
		s.t.Errorf("the process ended with %d, the plan says %d, want 0", r.code, p.Exit)
	}
	if calls := s.shop.requests(""); len(calls) != 0 {
		s.t.Errorf("a plan made %d requests of the shop, the first %s %s", len(calls), calls[0].Method, calls[0].ID)
	}
	if n := len(s.market.Requests(sandbox.KindReport, sandbox.KindWebhookCreate)); n != 0 {
		s.t.Errorf("a plan made %d mutations", n)
	}
	return p
}

// The story "plan" says what a plan tells. Here what it may not touch stays, and a setting is tried before it
// stands anywhere, also beside a worker.
func TestAPlanWritesNothingAnywhere(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	ids := s.lamps(3) // of two variants each
	slices.Sort(ids)
	for _, command := range [][]string{{"plan", "--json"}, {"run", "--once", "--dry-run", "--json"}} {
		if p := s.planOf(s.call(command...)); !slices.Equal(slices.Sorted(slices.Values(p.Create)), ids) {
			t.Errorf("%v on nothing: %+v", command, p)
		}
	}
	if s.storeBytes() != nil {
		t.Error("a plan made the store")
	}
	s.imported()
	s.imported() // lists what the reports of the first run moved
	s.shop.forget()
	s.market.Forget()
	before := s.storeBytes()
	check := func(where string) {
		t.Helper()
		p := s.planOf(s.call("plan", "--json", "--set", "PUBSYNC_PRICE_TIERS=0-:10%", "--set", "STOCK_BUFFER=1"))
		fields := map[string]int{}
		for _, row := range p.Change {
			fields[row.Field]++
		}
		if fields["price"] != 2*len(ids) || fields["quantity"] != 2*len(ids) {
			t.Errorf("%s: want each price and quantity to change, got %+v", where, p)
		}
		if read := s.contentReads(); len(read) > 0 {
			t.Errorf("%s: the plan reads the content of %v, want none", where, read)
		}
	}
	check("alone")
	other := []string{"PRICE_MARKUP_PERCENT", "10", "RESYNC_SCHEDULE", "@every 3h"}
	if p := s.planOf(s.callWith(other, "plan", "--json", "--set", "PUBSYNC_PRICE_MARKUP_PERCENT=")); len(p.Change) != 0 {
		t.Errorf("without a setting: got %+v, want no change", p)
	}
	r := s.call("plan", "--json", "--set", "PRICE_ADD=1", "--set", "BRAKE_PRICE_PERCENT=1")
	if p := s.planOf(r); len(p.Held) != 2*len(ids) {
		t.Errorf("with another brake: got %+v, want every price held", p)
	}
	if !bytes.Equal(before, s.storeBytes()) {
		t.Error("a plan changed the store")
	}
	w := s.work()
	s.shop.forget()
	s.market.Forget()
	check("beside a worker")
	r = s.callWith(other, "plan", "--json")
	if p := s.planOf(r); len(p.Change) != 2*len(ids) || p.Change[0].New != "22.00" {
		t.Errorf("by the caller's own rules: got %+v, want all prices at 22.00", p)
	}
	for _, said := range []string{"the worker's settings count, and differ", "PUBSYNC_RESYNC_SCHEDULE"} {
		if !strings.Contains(r.stderr, said) {
			t.Errorf("standard error lacks %q: %s", said, r.stderr)
		}
	}
	w.stop()
	s.lamps(1)
	s.set("HTTP_URL", nobody(t))
	r = s.ends(4, "plan", "--json", "--patience", "1s")
	var p desk.Plan
	if r.decode(t, &p); len(p.Create) != 1 || p.Error == "" {
		t.Errorf("with the shop away: got %+v, want what is known and why it ended early", p)
	}
}
