package publication

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// skipping is a decider with rules that keep out.
func skipping(t *testing.T, change func(*Rules)) *Decider {
	return tableDecider(t, func(s *Settings) { change(&s.Rules) })
}

// placed is a bench in a category, sent in some days, with a stock.
func placed(stock int, days string, branch ...string) *marketplace.Publication {
	return bench(func(p *marketplace.Publication) {
		l := p.Listing
		l.Variants[0].Quantity = &stock
		l.Shipping = []marketplace.Shipping{
			{CountryGroup: "NL", FixedCosts: "5.00", EstimatedDays: days}, {CountryGroup: "US", EstimatedDays: "14"},
		}
		for _, path := range branch {
			l.Category.Path = path
			l.Category.Branch = append(l.Category.Branch, marketplace.CategoryNode{Path: path, Name: path})
		}
	})
}

// An entry that a rule keeps out is rejected with the rule and the figure, and is published once
// the supplier's figure moves or the rule changes.
func TestSkipRules(t *testing.T) {
	margin := func(percent int64) func(*Rules) {
		return func(r *Rules) { d := decimal.NewFromInt(percent); r.Skip.MarginBelow = &d }
	}
	for name, tt := range map[string]struct {
		rules func(*Rules)
		pub   *marketplace.Publication
		want  string // "": published
	}{
		"a margin": {
			margin(101), placed(5, "2"),
			"the margin of v1 at 20.00 is 100 %, below 101 % (PUBSYNC_SKIP_MARGIN_BELOW)",
		},
		"a margin that is kept": {margin(100), placed(5, "2"), ""},
		"a margin with the costs of sending": {
			func(r *Rules) { margin(34)(r); r.Price.Shipping, r.Price.Country = ShippingFloor, "NL" }, placed(5, "2"),
			"the margin of v1 at 20.00 is 33.3 %, below 34 %",
		},
		"a margin without VAT": {
			func(r *Rules) { margin(100)(r); r.Price.VAT = decimal.NewFromInt(25) }, placed(5, "2"),
			"the margin of v1 at 20.00 is 60 %, below 100 %",
		},
		"an unknown cost": {
			margin(1), bench(func(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "" }),
			"the cost of v1 is not known",
		},
		"a stock": {
			func(r *Rules) { r.Skip.StockBelow = 6 }, placed(5, "2"),
			"the supplier has 5 of it, fewer than 6 (PUBSYNC_SKIP_STOCK_BELOW)",
		},
		"a stock that is enough": {func(r *Rules) { r.Skip.StockBelow, r.StockBuffer = 5, 5 }, placed(5, "2"), ""},
		"a stock without end": {
			func(r *Rules) { r.Skip.StockBelow = 6 },
			bench(func(p *marketplace.Publication) { p.Listing.Variants[0].Policy = "continue" }), "",
		},
		"days to the country": {
			func(r *Rules) { r.Skip.DaysAbove, r.Price.Country = 3, "NL" }, placed(5, "2-4"),
			"sending it to NL takes 4 days, more than 3 (PUBSYNC_SKIP_SHIPPING_DAYS_ABOVE)",
		},
		"days that are few":      {func(r *Rules) { r.Skip.DaysAbove, r.Price.Country = 4, "NL" }, placed(5, "2-4"), ""},
		"days that nobody tells": {func(r *Rules) { r.Skip.DaysAbove, r.Price.Country = 4, "NL" }, placed(5, ""), ""},
		"days to any, with no country": {
			func(r *Rules) { r.Skip.DaysAbove = 3 }, placed(5, "2"),
			"sending it to US takes 14 days, more than 3 (PUBSYNC_SKIP_SHIPPING_DAYS_ABOVE); PUBSYNC_SHIPPING_COUNTRY",
		},
		"a category": {
			func(r *Rules) { r.Skip.Categories = []CategoryPath{"TOYS", "GARDEN/POTS"} },
			placed(5, "2", "GARDEN", "GARDEN_POTS", "GARDEN_POTS_RED"),
			"it is in the category GARDEN/POTS (PUBSYNC_SKIP_CATEGORIES)",
		},
		"another category": {
			func(r *Rules) { r.Skip.Categories = []CategoryPath{"TOYS"} }, placed(5, "2", "GARDEN", "GARDEN_POTS"), "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := look(skipping(t, tt.rules), store.Record{ID: "p1"}, tt.pub)
			if tt.want == "" {
				if r.State != store.StateLive {
					t.Fatalf("got %s: %s, want it live", r.State, r.Problem.Message)
				}
				return
			}
			if r.State != store.StateRejected {
				t.Fatalf("got %s, want rejected", r.State)
			}
			if want := "it is kept out: " + tt.want; !strings.HasPrefix(r.Problem.Message, want) {
				t.Errorf("got  %s\nwant %s", r.Problem.Message, want)
			}
			if status, _ := wanted(r); status != store.StatusFailed {
				t.Errorf("reported: got %q, want failed", status)
			}
			if _, r = look(tableDecider(t, nil), r, tt.pub); r.State != store.StateLive {
				t.Errorf("without the rule: got %s, want live", r.State)
			}
		})
	}
}

// What is on sale follows the supplier, whatever the rules say, and it is told what they would keep
// out.
func TestSkipKeepsWhatIsOnSale(t *testing.T) {
	by := skipping(t, func(r *Rules) { r.Skip.StockBelow = 5 })
	_, r := look(by, store.Record{ID: "p1"}, placed(5, "2"))
	if r.State != store.StateLive {
		t.Fatalf("got %s, want live", r.State)
	}
	if why := by.Rules.KeptOut(r); why != "" {
		t.Errorf("enough of it: got %q, want none", why)
	}
	_, r = look(by, r, placed(4, "2"))
	if r.State != store.StateLive || r.Variants[0].Quantity != 4 {
		t.Errorf("got %s with %d, want live with 4", r.State, r.Variants[0].Quantity)
	}
	if why, want := by.Rules.KeptOut(r), "the supplier has 4 of it, fewer than 5 (PUBSYNC_SKIP_STOCK_BELOW)"; why != want {
		t.Errorf("got %q, want %q", why, want)
	}
	_, kept := look(by, store.Record{ID: "p1"}, placed(4, "2"))
	if kept.State != store.StateRejected {
		t.Fatalf("got %s, want rejected", kept.State)
	}
	if _, r = look(by, kept, placed(5, "2")); r.State != store.StateLive {
		t.Errorf("once there is enough: got %s, want live", r.State)
	}
}

// hiding is a decider that takes off sale what is sold out.
func hiding(t *testing.T) *Decider { return skipping(t, func(r *Rules) { r.SoldOut = SoldOutHide }) }

func TestSoldOutIsHidden(t *testing.T) {
	by := hiding(t)
	steps, never := look(by, store.Record{ID: "p1"}, placed(0, "2"))
	if len(steps) != 0 || never.State != store.StatePending {
		t.Errorf("never on sale: got %v and %s, want it pending without a call", steps, never.State)
	}
	if status, _ := wanted(never); status != "" {
		t.Errorf("never on sale: reported %q, want nothing", status)
	}
	_, live := look(by, never, placed(5, "2"))
	if live.State != store.StateLive || !live.OnSale || live.Unsellable != "" {
		t.Fatalf("with stock: got %s, on sale %t, %q, want it live", live.State, live.OnSale, live.Unsellable)
	}
	live.Reported, live.ReportedURL = store.StatusSuccess, tableAddress

	d := by.Decide(live, store.Mark{ID: "p1", Cause: store.CauseSeen}, Seen{Publication: placed(0, "2"), At: tableNow})
	if d.Step != Unpublish || d.Removal != 0 {
		t.Fatalf("sold out: got %v of %v, want it taken offline", d.Step, d.Removal)
	}
	if _, ok := d.Attempt(); !ok {
		t.Error("a kill may end the call: got no attempt, want one")
	}
	steps, off := look(by, live, placed(0, "2"))
	if off.State != store.StateLive || off.OnSale || off.Unsellable == "" {
		t.Fatalf(
			"sold out: %v lead to %s, on sale %t, %q, want it off sale",
			steps,
			off.State,
			off.OnSale,
			off.Unsellable,
		)
	}
	if off.Removal != (store.Removal{}) || off.Open || off.Attempted != 0 {
		t.Errorf(
			"sold out: got %+v, open %t, %v, want no removal and nothing open",
			off.Removal,
			off.Open,
			off.Attempted,
		)
	}
	s := store.Settlement{Record: off}
	if Owe(&s, nil, tableNow); s.Report != nil {
		t.Errorf("sold out: owes %+v, want no report", s.Report)
	}
	if steps, off = look(by, off, placed(0, "2")); len(steps) != 0 {
		t.Errorf("sold out still: got %v, want no call", steps)
	}
	if _, back := look(by, off, placed(3, "2")); back.State != store.StateLive || !back.OnSale ||
		back.Variants[0].Quantity != 3 {
		t.Errorf("stock again: got %s, on sale %t, want it live", back.State, back.OnSale)
	}
	if _, back := look(tableDecider(t, nil), off, placed(0, "2")); !back.OnSale || back.Unsellable != "" {
		t.Errorf("the rule is gone: on sale %t, %q, want it on sale", back.OnSale, back.Unsellable)
	}
	d = by.Decide(off, store.Mark{ID: "p1"}, Seen{At: tableNow})
	if d.Step != Unpublish {
		t.Errorf("its entry is gone: got %v, want it withdrawn", d.Step)
	}
}

// A kill after the call of the shop is not taken for somebody's hand.
func TestAKillWhileItIsTakenOffSale(t *testing.T) {
	by := hiding(t)
	_, r := look(by, store.Record{ID: "p1"}, placed(5, "2"))
	mark := store.Mark{ID: "p1", Cause: store.CauseSeen}
	d := by.Decide(r, mark, Seen{Publication: placed(0, "2"), At: tableNow})
	a, _ := d.Attempt()
	r.Attempted, r.Open = r.Attempted|a.Fields, true // as the store has it
	d = by.Decide(r, mark, Seen{Publication: placed(5, "2"), At: tableNow}).
		Compared(Facts{SKUs: map[string]string{"v1": "B-1"}})
	if d.Step != Publish {
		t.Fatalf("got %v, want it published", d.Step)
	}
	if d.Ref().OnSale {
		t.Error("the shop is told that it was left on sale: got true, want false")
	}
}

// Figures alone, of the marketplace or of the record, take a product off sale too.
func TestSoldOutByFigures(t *testing.T) {
	by := hiding(t)
	_, r := look(by, store.Record{ID: "p1"}, placed(5, "2"))
	figures := marketplace.Figures{Variants: placed(0, "2").Listing.Variants, Whole: true}
	d, ok := by.DecideFigures(r, store.Mark{ID: "p1", Cause: store.CauseSeen}, figures, tableNow)
	if !ok || d.Step != Unpublish {
		t.Errorf("figures: got %t, %v, want it taken off sale", ok, d.Step)
	}
	_, s := drive(d, takes)
	if s.Record.OnSale || s.Record.RemainderSince == 0 {
		t.Errorf("figures: on sale %t, remainder since %v, want it off sale and the remainder owed", s.Record.OnSale,
			s.Record.RemainderSince)
	}
	_, r = look(tableDecider(t, nil), r, placed(0, "2"))
	mark := store.Mark{ID: "p1", Class: store.ClassRules, Cause: store.CauseRules}
	if d, ok := by.Reprice(r, mark, tableNow); !ok || d.Step != Unpublish {
		t.Errorf("a changed rule: got %t, %v, want it taken off sale without a reading", ok, d.Step)
	}
}

// What waits for a person, and what the merchant says of the stock, is no sale that is out.
func TestWhatIsNotSoldOut(t *testing.T) {
	by := skipping(t, func(r *Rules) { r.SoldOut = SoldOutHide })
	_, r := look(by, store.Record{ID: "p1"}, placed(5, "2"))
	_, held := look(by, r, bench(func(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "95.00" }))
	if !held.OnSale || held.State != store.StateHeld {
		t.Errorf(
			"a price below the floor that is held: on sale %t, %s, want it on sale and held",
			held.OnSale,
			held.State,
		)
	}
	own := skipping(t, func(r *Rules) { r.SoldOut, r.Keep = SoldOutHide, figures })
	if _, r = look(own, r, placed(0, "2")); !r.OnSale {
		t.Error("a stock of the merchant's own: got it off sale, want it on sale")
	}
	hand := r
	hand.OnSale, hand.Problem = false, store.Problem{Kind: store.ProblemBlocked, Hidden: true}
	by.Lists = nil
	if _, after := look(by, hand, placed(0, "2")); !after.Problem.Hidden || after.Unsellable != "" {
		t.Errorf("hidden by hand: got %+v, %q, want it left so", after.Problem, after.Unsellable)
	}
}

// Of what is kept out, a change of the rules leads to a reading only where it may let it in.
func TestWhatStaysOutIsNotRead(t *testing.T) {
	rules := func(below int, markup int64) Rules {
		return skipping(t, func(r *Rules) {
			r.Skip.StockBelow, r.Price.Markup = below, decimal.NewFromInt(markup)
		}).Rules
	}
	by := skipping(t, func(r *Rules) { *r = rules(9, 0) })
	_, kept := look(by, store.Record{ID: "p1"}, placed(5, "2"))
	for name, tt := range map[string]struct {
		rules Rules
		reads bool
		says  string
	}{
		"another markup":   {rules(9, 10), false, "fewer than 9"},
		"another bound":    {rules(7, 0), false, "fewer than 7"},
		"a bound it meets": {rules(5, 0), true, "fewer than 9"},
		"no rule":          {rules(0, 0), true, "fewer than 9"},
	} {
		s := store.Settlement{Record: kept}
		v := tt.rules.Rulebook(nil).Revise(by.Rules.Rulebook(nil), true)
		v.Apply(&s, tableNow)
		if got := s.Next != nil; got != tt.reads {
			t.Errorf("%s: a look is due: got %t, want %t", name, got, tt.reads)
		}
		if got := s.Record.Problem.Message; !strings.Contains(got, tt.says) {
			t.Errorf("%s: got %q, want %q in it", name, got, tt.says)
		}
	}
	if _, let := look(tableDecider(t, nil), kept, placed(5, "2")); len(let.Offers) > 0 {
		t.Errorf("on sale: got %v, want none kept", let.Offers)
	}
}
