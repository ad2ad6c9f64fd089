// What cron starts prints nothing while all is well, and fails only for what the caller names.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func (s *site) cron(failOn string) result {
	s.t.Helper()
	return s.call("run", "--once", "--quiet", "--fail-on", failOn, "--patience", "3s")
}

func TestAQuietRunPrintsOnlyWhenItFails(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	ends := func(what string, r result, code int, says ...string) {
		t.Helper()
		if r.code != code {
			t.Errorf("%s: got exit %d, want %d\n%s", what, r.code, code, tail(r.stderr))
		}
		if silent := r.stdout+r.stderr == ""; silent != (code == 0) {
			t.Errorf("%s: got %q and %q at exit %d, want nothing at exit 0 alone", what, r.stdout, r.stderr, code)
		}
		for _, say := range says {
			if !strings.Contains(r.stdout, say) {
				t.Errorf("%s: got %q, want %q in it", what, r.stdout, say)
			}
		}
	}
	ends("all well", s.call("run", "--once", "--quiet"), 0)
	s.shop.rules(only(ids[0], problem(422, "no")))
	s.market.Update(ids[0], func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Another lamp"} })
	ends("one rejected", s.call("run", "--once", "--quiet"), 1, "rejected 1", ids[0], "Another lamp", "no")
	ends("one rejected, that was named", s.cron("held,rejected"), 1, "rejected 1")
	ends("one rejected, others were named", s.cron("blocked,held,pending,refused"), 0)
	ends("one rejected, none was named", s.cron(""), 0)
	ends("no such state", s.cron("live"), 2)
	if r := s.call("run", "--once", "--json", "--fail-on", "held"); s.summaryOf(r).Rejected != 1 || r.code != 0 {
		t.Errorf("as JSON: got exit %d and %s, want 0 and the one that stands rejected", r.code, r.stdout)
	}
	if r := s.call("status"); !strings.HasPrefix(r.stdout, "needs you   nothing\n") {
		t.Errorf("one rejected, which is the supplier's: status says %q first, want that nothing is to do", r.stdout)
	}
	s.market.Supply(ids[1], []string{"cost=10.00", "msrp=200.00"})
	ends("one held", s.cron("held"), 1, "held 1", ids[1])
	const waits = "needs you   products with a change that waits for your approval: 1"
	if r := s.call("status"); !strings.HasPrefix(r.stdout, waits) || !strings.Contains(r.stdout, "approve --list") {
		t.Errorf("one held: status says %q first, want that it waits for an approval", r.stdout)
	}
	s.set("MARKETPLACE_URL", nobody(t))
	ends("the marketplace is away", s.cron(""), 3, "ended early: ")
}
