// approve lets held changes of one kind through.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// approve --kind lets changes of one kind through and leaves the others held, beside a worker and
// without one.
func TestApproveOneKindOfWhatIsHeld(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(14)
	s.imported()
	s.setPrice(ids[0], "10.00", "90.00")
	s.setPrice(ids[1], "10.00", "90.00")
	s.market.Remove(ids[2:]...)
	if sum := s.once("--full"); sum.Exit != 1 || sum.Held != 14 {
		t.Fatalf("the run: %+v", sum)
	}
	for _, args := range [][]string{
		{"approve"},
		{"approve", "--kind", "prices"},
		{"approve", "--kind", "price", "--all"},
		{"approve", "--kind", "price", ids[0]},
	} {
		if r := s.call(args...); r.code != 2 {
			t.Errorf("%v: exit %d, want 2, %s", args, r.code, r.stdout)
		}
	}
	if r := s.call("approve", "--kind", "foreign"); r.code != 0 || strings.TrimSpace(r.stdout) != "0 approved" {
		t.Errorf("nothing of that kind: exit %d, want 0, %s", r.code, r.stdout)
	}
	if r := s.call("approve", "--kind", "price"); r.code != 0 || strings.TrimSpace(r.stdout) != "2 approved" {
		t.Errorf("the prices: exit %d, want 0, %s", r.code, r.stdout)
	}
	if sum := s.once(); sum.Exit != 1 || sum.Held != 12 || sum.Updated != 2 || s.shop.onSale() != 14 {
		t.Errorf("after the prices were approved: %+v, %d on sale", sum, s.shop.onSale())
	}
	w := s.work()
	if r := s.call("approve", "--kind", "removal"); r.code != 0 || strings.TrimSpace(r.stdout) != "12 approved" {
		t.Errorf("the removals, beside a worker: exit %d, want 0, %s", r.code, r.stdout)
	}
	if sum := s.once(); sum.Exit != 0 || s.shop.onSale() != 2 {
		t.Errorf("after the removals were approved: %+v, %d on sale", sum, s.shop.onSale())
	}
	w.stop()
}
