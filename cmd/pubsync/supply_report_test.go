// A report that the marketplace refuses stays owed.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A report that the marketplace refuses is told of by every command, makes a run end with 1, and is
// made again by the next.
func TestARefusedReportStandsUntilItIsTaken(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(2)[0]
	s.market.Inject(
		sandbox.Fault{
			Kind:        sandbox.RefusedReport,
			Probability: 1,
			On:          []sandbox.Kind{sandbox.KindReport},
			IDs:         []string{id},
		},
	)
	if sum := s.once(); sum.Exit != 1 || sum.Refused != 1 || sum.Reported != 1 || sum.Error != "" {
		t.Errorf("the run: %+v", sum)
	}
	if r := s.call("run", "--once"); r.code != 1 || !strings.Contains(r.stdout, "reports refused 1") {
		t.Errorf("the run in text: exit %d, want 1, %s", r.code, r.stdout)
	}
	if l := s.expectState(id, "live"); !strings.Contains(l.Error, "cannot be changed") {
		t.Errorf("the merchant is told %q", l.Error)
	}
	told := func(where string) {
		t.Helper()
		var st struct{ Outbox, Refused int }
		s.call("status", "--json").decode(t, &st)
		if st.Outbox != 1 || st.Refused != 1 {
			t.Errorf("%s: status --json %+v", where, st)
		}
		if r := s.call("status"); !strings.Contains(r.stdout, "1 reports owed, 1 of them refused") {
			t.Errorf("%s: status %s", where, r.stdout)
		}
		if r := s.call("explain", id); !strings.Contains(r.stdout, "cannot be changed") ||
			!strings.Contains(r.stdout, "owed: success") {
			t.Errorf("%s: explain %s", where, r.stdout)
		}
	}
	told("without a worker")
	w := s.work()
	told("beside a worker")
	w.measures("\npubsync_reports_refused 1\n")
	if sum := s.once(); sum.Exit != 1 || sum.Refused != 1 {
		t.Errorf("the run of the worker: %+v", sum)
	}
	s.market.Heal()
	if sum := s.once(); sum.Exit != 0 || sum.Refused != 0 || sum.Reported != 1 {
		t.Errorf("the run once the marketplace takes it: %+v", sum)
	}
	if p, _ := s.market.Publication(id); p.Status != "success" || p.ProductURL == "" {
		t.Errorf("the marketplace holds %q at %q", p.Status, p.ProductURL)
	}
	w.stop()
}

func TestALaterReportIsMadeWhenTheAddressChanges(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(2)[0]
	s.imported()
	s.shop.mu.Lock()
	s.shop.products[id].shopID = "moved"
	s.shop.mu.Unlock()
	s.setPrice(id, "10.00", "21.00")
	if sum := s.imported(); sum.Reported != 1 || sum.Updated != 1 {
		t.Errorf("the run: %+v", sum)
	}
	if got := s.reports(id); len(got) != 2 || got[1] != "success "+s.shop.address("moved") {
		t.Errorf("reports: %v", got)
	}
}
