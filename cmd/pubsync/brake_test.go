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
		t.Fatalf("approve: exit %d, %s", r.code, r.stderr)
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
		t.Fatalf("approve: exit %d, %s", r.code, r.stderr)
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

func TestAPriceTakenBackUpstreamLiftsTheHold(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	s.imported()
	s.setPrice(id, "10.00", "45.00")
	if sum := s.once(); sum.Held != 1 {
		t.Fatalf("the run ended with %+v", sum)
	}
	s.shop.forget()
	s.setPrice(id, "10.00", "20.00")
	if sum := s.imported(); sum.Held != 0 || sum.Updated != 0 {
		t.Errorf("the run ended with %+v", sum)
	}
	if n := len(s.shop.requests("")); n != 0 {
		t.Errorf("%d requests of the shop, though it holds what the supplier asks", n)
	}
	s.expectState(id, "live")
}

func TestAnOldPriceBelowTheNewFloorIsSoldOut(t *testing.T) {
	s := open(t, sandbox.Options{})
	l := lamp(1)
	l.Variants[0].Policy = "CONTINUE"
	id := s.add(l)
	s.imported()
	// Buying the red one costs more now than it is sold for.
	if err := s.market.Update(id, func(l *sandbox.Listing) {
		l.Variants[0].Cost, l.Variants[0].MSRP = "25.00",
			"50.00"
	}); err != nil {
		t.Fatal(err)
	}
	if sum := s.once(); sum.Exit != 1 || sum.Held != 1 {
		t.Fatalf("the run ended with %+v", sum)
	}
	v := s.shop.product(t, id).sent.Variants
	if v[0].Price != "20.00" || v[0].Quantity != 0 || v[0].Backorders {
		t.Errorf("the variant that would be sold at a loss: %+v, want it sold out at its old price", v[0])
	}
	if v[1].Price != "20.00" || v[1].Quantity != 7 {
		t.Errorf("the other variant: %+v, want it as it was", v[1])
	}
	if r := s.call("approve", "--all"); r.code != 0 {
		t.Fatalf("approve --all: exit %d, %s", r.code, r.stderr)
	}
	s.imported()
	if v := s.shop.product(t, id).sent.Variants[0]; v.Price != "50.00" || v.Quantity != 12 || !v.Backorders {
		t.Errorf("after the approval: %+v", v)
	}
}

func TestTheBrakeOnPrices(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		brake, to  string
		held       bool
		price      string
		settingsOf []string
	}{
		{name: "half as much again is let pass", to: "30.00", price: "30.00"},
		{name: "a cent more is held", to: "30.01", held: true, price: "20.00"},
		{name: "half as much is let pass", to: "10.00", price: "10.00"},
		{
			name:       "a cent less is held",
			to:         "9.99",
			held:       true,
			price:      "20.00",
			settingsOf: []string{"PRICE_MIN_MARGIN_PERCENT", "-50"},
		},
		{name: "a tighter brake", brake: "10", to: "22.01", held: true, price: "20.00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("BRAKE_PRICE_PERCENT", tt.brake)
			s.set(tt.settingsOf...)
			id := s.lamps(1)[0]
			s.imported()
			s.setPrice(id, "5.00", tt.to)
			if sum := s.once(); (sum.Held == 1) != tt.held || (sum.Exit == 1) != tt.held {
				t.Errorf("the run ended with %+v", sum)
			}
			if got := s.prices(id)[0]; got != tt.price {
				t.Errorf("the price is %s, want %s", got, tt.price)
			}
		})
	}
}
