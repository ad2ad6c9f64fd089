// plan says what a run would do, and writes nothing.

package main_test

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A plan is what `plan --json` prints.
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

func TestAPlanWritesNothingAnywhere(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(14)
	for _, command := range [][]string{{"plan", "--json"}, {"run", "--once", "--dry-run", "--json"}} {
		p := s.planOf(s.call(command...))
		if p.Exit != 0 || !slices.Equal(slices.Sorted(slices.Values(p.Create)), slices.Sorted(slices.Values(ids))) ||
			len(p.Change)+len(p.Withdraw)+len(p.Held) != 0 {
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
	if err := s.market.Update(ids[2], func(l *sandbox.Listing) {
		l.Variants[0].Quantity = 99
		retext(l, "en", func(t *sandbox.Text) { t.Title = "Renamed" })
	}); err != nil {
		t.Fatal(err)
	}
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
	changes := map[string]int{}
	for _, c := range p.Change {
		changes[c.ID+" "+c.Field]++
		if c.ID == ids[0] && c.Field == "price" && (c.Old != "20.00" || c.New != "21.00" || c.Variant == "") {
			t.Errorf("the price's change: %+v", c)
		}
		if c.Field == "title" && (c.Old != "Lamp 3" || c.New != "Renamed") {
			t.Errorf("the title's change: %+v", c)
		}
		if c.Field == "quantity" && (c.Old != "12" || c.New != "99") {
			t.Errorf("the quantity's change: %+v", c)
		}
	}
	if changes[ids[0]+" price"] != 2 || changes[ids[2]+" title"] != 1 || changes[ids[2]+" quantity"] != 1 {
		t.Errorf("changes: %v", slices.Sorted(maps.Keys(changes)))
	}
	if !slices.Equal(p.Create, []string{fresh}) || !slices.Equal(p.Withdraw, []string{ids[3]}) || p.Exit != 0 {
		t.Errorf("the plan: %+v", p)
	}
	if len(p.Held) == 0 || p.Held[0].ID != ids[1] || !strings.Contains(p.Held[0].Reason, "99.00") {
		t.Errorf("held: %+v", p.Held)
	}
	if !bytes.Equal(before, s.storeBytes()) {
		t.Error("a plan changed the store")
	}
	s.untouched()

	text := s.call("plan", "--full")
	for _, want := range []string{fresh, "20.00", "21.00", ids[3], "->"} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("the plan in words says nothing of %s:\n%s", want, text.stdout)
		}
	}

	// What was planned is what happens.
	sum := s.once("--full")
	if sum.Created != 1 || sum.Withdrawn != 1 || sum.Held != 1 || sum.Updated != 2 {
		t.Errorf("the run after the plan: %+v", sum)
	}
	after := s.planOf(s.call("plan", "--full", "--json"))
	if len(after.Create)+len(after.Change)+len(after.Withdraw) != 0 || len(after.Held) != len(p.Held) {
		t.Errorf("the plan after the run: %+v", after)
	}
}

// untouched fails the test when anything was asked of the shop but its health, or a mutation of the
// marketplace.
func (s *site) untouched() {
	s.t.Helper()
	if calls := s.shop.requests(""); len(calls) != 0 {
		s.t.Errorf("a plan made %d requests of the shop, the first %s %s", len(calls), calls[0].Method, calls[0].ID)
	}
	totals := s.market.Totals()
	if n := totals[sandbox.KindReport].Requests + totals[sandbox.KindWebhookCreate].Requests; n != 0 {
		s.t.Errorf("a plan made %d mutations", n)
	}
}

// A setting can be tried before it stands anywhere, also beside a worker, and costs no reading of
// content.
func TestAPlanTriesASetting(t *testing.T) {
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
	try = []string{"plan", "--json", "--set", "PUBSYNC_PRICE_TIERS=0-:10%", "--set", "PUBSYNC_STOCK_BUFFER=1"}
	check("with tiers")
	if p := s.planOf(s.call("plan", "--json")); len(p.Change) != 0 {
		t.Errorf("a plan afterwards: got %+v, want no change", p.Change)
	}
	w := s.work()
	check("beside a worker")
	w.stop()
}

func retext(l *sandbox.Listing, lang string, f func(*sandbox.Text)) {
	t := l.Texts[lang]
	f(&t)
	texts := map[string]sandbox.Text{}
	for k, v := range l.Texts {
		texts[k] = v
	}
	texts[lang] = t
	l.Texts = texts
}
