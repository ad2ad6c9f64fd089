// A price that moves too far is held while the rest of the change is made.

package main_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// prices is the prices that the shop shows for a publication.
func (s *site) prices(id string) []string {
	s.t.Helper()
	var out []string
	for _, v := range s.shop.product(s.t, id).sent.Variants {
		out = append(out, v.Price)
	}
	return out
}

func (s *site) setPrice(id, cost, msrp string) {
	s.t.Helper()
	if err := s.market.SetPrice(id, "", cost, msrp); err != nil {
		s.t.Fatal(err)
	}
}

func TestADoubledPriceIsHeldWhileTheStockFlows(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(2)[0]
	s.imported()
	s.shop.forget()
	if err := s.market.Update(id, func(l *sandbox.Listing) {
		l.Variants[0].MSRP, l.Variants[0].Quantity = "40.00", 5
		retext(l, "en", func(t *sandbox.Text) { t.Title = "Brighter lamp" })
	}); err != nil {
		t.Fatal(err)
	}
	if sum := s.once(); sum.Exit != 1 || sum.Held != 1 || sum.Updated != 1 {
		t.Fatalf("the run ended with %+v", sum)
	}
	sent := s.shop.product(t, id).sent
	if got := s.prices(id); !slices.Equal(got, []string{"20.00", "20.00"}) {
		t.Errorf("prices in the shop: %v, want the old ones", got)
	}
	if sent.Variants[0].Quantity != 5 || sent.Title != "Brighter lamp" {
		t.Errorf("the rest of the update was not made: %+v", sent)
	}
	if got := slices.Sorted(slices.Values(sent.Changed)); !slices.Equal(got, []string{"stock", "title"}) {
		t.Errorf("changed is %v", got)
	}
	held := s.lines("held")
	if l, ok := held[id]; !ok || len(held) != 1 || !strings.Contains(l.Error, "40.00") ||
		!strings.Contains(l.Error, "20.00") {
		t.Errorf("held: %+v, want %s with both prices", held, id)
	}

	// An approval is for the value shown: by the time it counts, the supplier has gone further.
	if r := s.call("approve", id); r.code != 0 {
		t.Fatalf("approve: exit %d, want 0, %s", r.code, r.stderr)
	}
	if err := s.market.SetPrice(id, "", "10.00", "60.00"); err != nil {
		t.Fatal(err)
	}
	if sum := s.once(); sum.Exit != 1 || sum.Held != 1 {
		t.Errorf("another value than the approved one: %+v", sum)
	}
	if got := s.prices(id); !slices.Equal(got, []string{"20.00", "20.00"}) {
		t.Errorf("prices in the shop: %v, want the old ones", got)
	}

	if r := s.call("approve", id); r.code != 0 {
		t.Fatalf("approve: exit %d, want 0, %s", r.code, r.stderr)
	}
	s.shop.forget()
	s.imported()
	if got := s.prices(id); !slices.Equal(got, []string{"60.00", "60.00"}) {
		t.Errorf("prices in the shop: %v, want those approved", got)
	}
	if puts := s.shop.puts(id); len(puts) != 1 || !slices.Equal(puts[0].Sent.Changed, []string{"price"}) {
		t.Errorf("the approval led to %d PUTs", len(puts))
	}
	s.expectState(id, "live")
	if n := len(s.reported(id)); n != 1 {
		t.Errorf("%d reports, though status and address stayed", n)
	}
}
