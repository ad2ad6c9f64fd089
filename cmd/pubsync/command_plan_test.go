// plan says what a run would do, and writes nothing.

package main_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

type plan struct {
	Create   []string
	Change   []planned
	Withdraw []string
	Held     []struct{ ID, Reason string }
	Exit     int
	Error    string
}

type planned struct{ ID, Field, Variant, Old, New string }

func (s *site) planOf(r result) plan {
	s.t.Helper()
	var p plan
	r.decode(s.t, &p)
	if p.Exit != r.code {
		s.t.Errorf("the plan says exit %d, the process ended with %d", p.Exit, r.code)
	}
	return p
}

func writeFile(path, content string) error { return os.WriteFile(path, []byte(content), 0o600) }

// The story "plan" says what a plan tells; here it prints its document, and what it may not touch stays.
func TestAPlanWritesNothingAnywhere(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	ids := s.lamps(14)
	for _, command := range [][]string{{"plan", "--json"}, {"run", "--once", "--dry-run", "--json"}} {
		p := s.planOf(s.call(command...))
		if p.Exit != 0 || !slices.Equal(slices.Sorted(slices.Values(p.Create)), slices.Sorted(slices.Values(ids))) {
			t.Errorf("%v on nothing: %+v", command, p)
		}
	}
	if s.storeBytes() != nil {
		t.Error("a plan made the store")
	}
	s.untouched()

	s.imported()
	fresh := s.add(lamp(20))
	s.setPrice(ids[0], "9.50", "21.00")
	s.setPrice(ids[1], "10.00", "99.00")
	s.market.Remove(ids[3])
	s.shop.forget()
	s.market.Forget()
	before := s.storeBytes()
	r := s.call("plan", "--full", "--json")
	p := s.planOf(r)
	if diff := cmp.Diff([]string{
		"change", "create", "creations", "error", "exit", "held", "refused", "waits", "withdraw", "withdrawals",
	}, keysOf(t, []byte(r.stdout))); diff != "" {
		t.Errorf("keys of the plan (-want +got):\n%s", diff)
	}
	moves := slices.DeleteFunc(p.Change, func(c planned) bool { return c.Field != "price" || c.ID != ids[0] })
	if len(moves) != 2 || moves[0].Old != "20.00" || moves[0].New != "21.00" || moves[0].Variant == "" ||
		!slices.Equal(p.Create, []string{fresh}) || !slices.Equal(p.Withdraw, []string{ids[3]}) || p.Exit != 0 ||
		len(p.Held) == 0 || p.Held[0].ID != ids[1] || !strings.Contains(p.Held[0].Reason, "99.00") {
		t.Errorf("the plan: %+v", p)
	}
	text := s.call("plan", "--full")
	for _, want := range []string{fresh, "20.00", "21.00", ids[3], "->", " absent\n"} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("the plan in words says nothing of %s:\n%s", want, text.stdout)
		}
	}
	if !bytes.Equal(before, s.storeBytes()) {
		t.Error("a plan changed the store")
	}
	s.untouched()
	if sum := s.once("--full"); sum.Created != 1 || sum.Withdrawn != 1 || sum.Held != 1 || sum.Updated != 1 {
		t.Errorf("the run after the plan: %+v", sum)
	}
}

// untouched fails the test when anything was asked of the shop but its health, or a mutation of the
// marketplace.
func (s *site) untouched() {
	s.t.Helper()
	if calls := s.shop.requests(""); len(calls) != 0 {
		s.t.Errorf("a plan made %d requests of the shop, the first %s %s", len(calls), calls[0].Method, calls[0].ID)
	}
	if n := len(s.market.Requests(sandbox.KindReport, sandbox.KindWebhookCreate)); n != 0 {
		s.t.Errorf("a plan made %d mutations", n)
	}
}

// A setting can be tried before it stands anywhere, also beside a worker, and costs no reading of
// content.
func TestAPlanTriesASetting(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	ids := s.lamps(3) // of two variants each
	s.imported()
	s.imported() // lists what the reports of the first run moved
	try := []string{"plan", "--json", "--set", "PUBSYNC_PRICE_MARKUP_PERCENT=10", "--set", "PUBSYNC_STOCK_BUFFER=1"}
	check := func(where string) {
		t.Helper()
		s.market.Forget()
		p := s.planOf(s.call(try...))
		fields := map[string]int{}
		for _, row := range p.Change {
			fields[row.Field]++
		}
		if got, want := fields["price"], 2*len(ids); got != want {
			t.Errorf("%s: prices that change: got %d, want %d, %+v", where, got, want, p)
		}
		if got, want := fields["quantity"], 2*len(ids); got != want {
			t.Errorf("%s: quantities that change: got %d, want %d, %+v", where, got, want, p)
		}
		for _, r := range s.market.Requests() {
			if len(r.Content) > 0 {
				t.Errorf("%s: the plan reads the content of %v, want none", where, r.Content)
			}
		}
	}
	check("alone")
	try = []string{"plan", "--json", "--set", "PUBSYNC_PRICE_TIERS=0-:10%", "--set", "STOCK_BUFFER=1"}
	check("with tiers")
	r := s.callWith([]string{"PRICE_MARKUP_PERCENT", "10"}, "plan", "--json", "--set", "PUBSYNC_PRICE_MARKUP_PERCENT=")
	if p := s.planOf(r); r.code != 0 || len(p.Change) != 0 {
		t.Errorf("without a setting: exit %d, got %+v, want no change", r.code, p)
	}
	if p := s.planOf(s.call("plan", "--json")); len(p.Change) != 0 {
		t.Errorf("a plan afterwards: got %+v, want no change", p.Change)
	}
	w := s.work()
	check("beside a worker")
	r = s.callWith([]string{"PRICE_MARKUP_PERCENT", "10", "RESYNC_SCHEDULE", "@every 3h"}, "plan", "--json")
	if p := s.planOf(r); len(p.Change) != 2*len(ids) || p.Change[0].New != "22.00" {
		t.Errorf("by the caller's own rules: got %+v, want all prices at 22.00", p)
	}
	for _, said := range []string{
		"the worker's settings count, and differ", "PUBSYNC_RESYNC_SCHEDULE",
	} {
		if !strings.Contains(r.stderr, said) {
			t.Errorf("standard error lacks %q: %s", said, r.stderr)
		}
	}
	w.stop()
}

