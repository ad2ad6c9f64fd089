package publication

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An earlier version stays on sale while what the supplier has now cannot be written. Its price and
// stock are the supplier's all the same: else the shop sells what nobody has.
func TestWhatStaysOnSaleFollowsTheSuppliersFigures(t *testing.T) {
	untitled := func(p *marketplace.Publication) { p.Listing.Translations = nil }
	renamed := func(p *marketplace.Publication) {
		p.Listing.Translations["en"] = marketplace.Translation{Title: "Long bench"}
	}
	msrp := func(price string) func(*marketplace.Publication) {
		return func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = price }
	}
	for _, tt := range []struct {
		name     string
		tune     func(*Settings)
		offered  int
		change   []func(*marketplace.Publication)
		refuse   bool // the shop refuses the whole, not the figures
		state    store.State
		price    string
		quantity int
	}{
		{"no title", nil, 0, []func(*marketplace.Publication){untitled}, false, store.StatePending, "20.00", 0},
		{
			"no title, and another price", nil, 3,
			[]func(*marketplace.Publication){untitled, msrp("22.00")},
			false,
			store.StatePending, "22.00", 3,
		},
		{
			"no title, and a price that a brake holds", nil, 3,
			[]func(*marketplace.Publication){untitled, msrp("90.00")},
			false, store.StateHeld, "20.00", 3,
		},
		{"refused", nil, 0, []func(*marketplace.Publication){renamed}, true, store.StateRejected, "20.00", 0},
		{
			"refused, and another price", nil, 9,
			[]func(*marketplace.Publication){renamed, msrp("22.00")},
			true,
			store.StateRejected, "22.00", 9,
		},
		{"no price", nil, 2, []func(*marketplace.Publication){msrp("")}, false, store.StateRejected, "20.00", 2},
		{
			"some are kept back", func(s *Settings) { s.Rules.StockBuffer = 2 }, 3,
			[]func(*marketplace.Publication){msrp("")},
			false, store.StateRejected, "20.00", 1,
		},
		{
			"stock is the merchant's", func(s *Settings) { s.Rules.Keep = shopadapter.FieldStock }, 0,
			[]func(*marketplace.Publication){untitled},
			false, store.StatePending, "20.00", 7,
		},
		{"another variant in its place", nil, 5, []func(*marketplace.Publication){
			untitled, func(p *marketplace.Publication) { p.Listing.Variants[0].ID = "v2" },
		}, false, store.StatePending, "20.00", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			by := tableDecider(t, nil)
			s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
			s.look(by, 7, nil)
			if tt.tune != nil {
				by = tableDecider(t, tt.tune)
			}
			change := func(p *marketplace.Publication) {
				for _, f := range tt.change {
					f(p)
				}
			}
			for range 2 { // what was refused stands at the second look
				if tt.refuse {
					s.refuses = shopadapter.Reject("no")
				}
				s.look(by, tt.offered, change)
				if s.price != tt.price || s.quantity != tt.quantity {
					t.Errorf("the shop has %d at %s, want %d at %s", s.quantity, s.price, tt.quantity, tt.price)
				}
				if s.r.State != tt.state || !s.r.OnSale {
					t.Errorf("got %s, on sale %t, want %s and on sale", s.r.State, s.r.OnSale, tt.state)
				}
			}
			if s.writes > 2 {
				t.Errorf("got %d writes, want the first and one of the figures", s.writes)
			}
			s.compare(by)
			if len(s.r.Drift) != 0 {
				t.Errorf("got drift %+v, want none: the record holds what was written", s.r.Drift)
			}

			s.look(tableDecider(t, nil), 7, nil)
			if s.price != "20.00" || s.quantity != 7 || s.r.State != store.StateLive {
				t.Errorf("whole again: got %s, %d at %s, want live, 7 at 20.00", s.r.State, s.quantity, s.price)
			}
		})
	}
}

// A write of figures whose end is not known is made again, and the brake knows the price it sent.
func TestFiguresOfAnEarlierVersionThatMayHaveArrived(t *testing.T) {
	by := tableDecider(t, nil)
	s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
	s.look(by, 7, nil)
	change := func(p *marketplace.Publication) {
		p.Listing.Translations = nil
		p.Listing.Variants[0].MSRP = "22.00"
	}
	s.fails = shopadapter.Retry("no answer")
	s.look(by, 0, change)
	if len(s.r.Sent) != 1 || s.r.Sent[0].Price != "22.00" {
		t.Errorf("got the sent prices %+v, want 22.00", s.r.Sent)
	}
	if s.next == nil || s.next.Cause&store.CauseDrift == 0 {
		t.Errorf("got the next look %+v, want one soon", s.next)
	}
	s.look(by, 0, change)
	if s.price != "22.00" || s.quantity != 0 {
		t.Errorf("the shop has %d at %s, want 0 at 22.00", s.quantity, s.price)
	}
	if len(s.r.Sent) != 0 {
		t.Errorf("got the sent prices %+v, want none: the end is known", s.r.Sent)
	}
	if !strings.Contains(historyText(s.r), "of the version on sale") {
		t.Errorf("got the history\n%s\nwant what was written of the version on sale", historyText(s.r))
	}
}
