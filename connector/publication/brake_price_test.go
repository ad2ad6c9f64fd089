package publication

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func bounds(t testing.TB) Bounds {
	t.Helper()
	return Bounds{Least: dec(t, "0.5"), Most: dec(t, "3")}
}

func TestFarFromUsual(t *testing.T) {
	for _, tt := range []struct {
		name              string
		rule              ruleText
		cost, msrp, price string
		want              string // "" where it is let pass
	}{
		{"the msrp itself", ruleText{vat: "21"}, "10", "20", "20", ""},
		{"three times the msrp", ruleText{}, "10", "20", "60", ""},
		{"a cent more", ruleText{}, "10", "20", "60.01", "more than 3 times its msrp with VAT of 20.00"},
		{"half the msrp", ruleText{}, "", "20", "10", ""},
		{"a cent less", ruleText{}, "", "20", "9.99", "less than 0.5 times its msrp with VAT of 20.00"},
		{"half of an odd cent", ruleText{}, "", "17.95", "8.97", ""},
		{"three times half a cent", ruleText{}, "", "0.335", "1.01", ""},
		{"an msrp without VAT counts with it", ruleText{vat: "21", msrpVAT: "excluded"}, "", "20", "72.60", ""},
		{
			"and a cent more",
			ruleText{vat: "21", msrpVAT: "excluded"},
			"", "20", "72.61",
			"more than 3 times its msrp with VAT of 24.20",
		},
		{"no msrp: the cost with VAT", ruleText{vat: "21", noMSRP: "0"}, "10", "", "36.30", ""},
		{
			"and a cent more than that",
			ruleText{vat: "21", noMSRP: "0"},
			"10", "0", "36.31",
			"more than 3 times its cost with VAT of 12.10",
		},
		{
			"less than half the cost",
			ruleText{noMSRP: "0", margin: "-60"},
			"10", "", "4.99",
			"less than 0.5 times its cost with VAT of 10.00",
		},
		{"from the cost, far below the msrp", ruleText{base: BaseCost}, "1", "20", "1", ""},
		{
			"from the cost, far above the msrp",
			ruleText{base: BaseCost},
			"1", "20", "60.01",
			"more than 3 times its msrp with VAT of 20.00",
		},
		{
			"from the cost, with no msrp",
			ruleText{base: BaseCost, vat: "21"},
			"10", "", "36.31",
			"more than 3 times its cost with VAT of 12.10",
		},
		{
			"from the cost, with an msrp that is none",
			ruleText{base: BaseCost},
			"10", "n/a", "30.01",
			"more than 3 times its cost with VAT of 10.00",
		},
	} {
		b := Brake{FirstPrice: bounds(t)}
		given := marketplace.Variant{Cost: tt.cost, MSRP: tt.msrp}
		if got := b.farFromUsual(tt.rule.rule(t), dec(t, tt.price), given); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if got := (Brake{}).farFromUsual(tt.rule.rule(t), dec(t, tt.price), given); got != "" {
			t.Errorf("%s: without bounds: got %q, want none", tt.name, got)
		}
	}
}

// withFirst is a decider with bounds for first prices.
func withFirst(t *testing.T) *Decider {
	return tableDecider(t, func(s *Settings) { s.Brake.FirstPrice = bounds(t) })
}

// look is a look that a sweep asks for, at a shop that takes everything.
func look(by *Decider, r store.Record, pub *marketplace.Publication) ([]string, store.Record) {
	steps, s := drive(by.Decide(r, store.Mark{ID: "p1", Cause: store.CauseSeen},
		Seen{Publication: pub, At: tableNow}), takes)
	return steps, s.Record
}

// dear is a bench whose cost raises its price far above the msrp.
func dear(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "95.00" }

func TestANewProductWithAFirstPriceFarOff(t *testing.T) {
	by := withFirst(t)
	steps, r := look(by, store.Record{ID: "p1"}, bench(dear))
	if len(steps) != 0 || r.State != store.StateHeld || len(r.Holds) != 1 || r.Title != "Bench" || r.OnSale ||
		r.Open || r.Attempted != 0 {
		t.Fatalf("%v lead to %+v, want it held and the shop left alone", steps, r)
	}
	h := r.Holds[0]
	want := "the first price of v1 would be 95.00, more than 3 times its msrp with VAT of 20.00: the msrp includes " +
		"VAT and is not taxed again; " +
		"msrp 20 × (1 + 0 %) + 0 = 20.00; raised to the floor, cost 95 × (1 + 0 %) × (1 + 0 % VAT) = 95.00"
	if h.Kind != store.HoldFirstPrice || h.New != "95.00" || h.Old != "" || h.Reason != want {
		t.Errorf("%+v, want the reason %q", h, want)
	}

	// An approval is for that price: another one is held again.
	s := store.Settlement{Record: r}
	if !Approve(&s, Choice{Group: string(store.HoldFirstPrice)}, store.ClassSweep, "anna", tableNow) {
		t.Fatal("got nothing to approve, want a hold")
	}
	dearer := bench(func(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "96.00" })
	if steps, other := look(by, s.Record, dearer); len(steps) != 0 || other.State != store.StateHeld {
		t.Errorf("another price than the approved one: got %v, %s, want no step, held", steps, other.State)
	}
	steps, r = look(by, s.Record, bench(dear))
	if len(steps) != 1 || r.State != store.StateLive || r.Variants[0].Price != "95.00" ||
		len(r.Approved)+len(r.Holds) != 0 {
		t.Errorf("approved: %v lead to %+v, want it on sale for 95.00", steps, r)
	}
	// Once it is on sale it is judged by its last price.
	next := bench(func(p *marketplace.Publication) { p.Listing.Variants[0].Cost = "99.00" })
	if _, r = look(by, r, next); r.State != store.StateLive || r.Variants[0].Price != "99.00" {
		t.Errorf("a small step from an approved price: got %s at %s, want live at 99.00", r.State, r.Variants[0].Price)
	}
	// Taken back upstream the hold is gone.
	if _, r := look(by, s.Record, bench(func(*marketplace.Publication) {})); r.State != store.StateLive ||
		r.Variants[0].Price != "20.00" {
		t.Errorf("taken back: got %+v, want live at 20.00", r)
	}
}

// second adds a variant.
func second(cost, msrp string) func(*marketplace.Publication) {
	return func(p *marketplace.Publication) {
		p.Listing.Variants = append(p.Listing.Variants, marketplace.Variant{
			ID: "v2", SKU: "B-2",
			Cost: cost, MSRP: msrp,
		})
	}
}

func TestANewVariantWithAFirstPriceFarOff(t *testing.T) {
	by := withFirst(t)
	_, made := look(by, store.Record{ID: "p1"}, bench(func(*marketplace.Publication) {}))
	ids := func(r store.Record) (ids []string) {
		for _, v := range r.Variants {
			ids = append(ids, v.ID)
		}
		return ids
	}
	more := bench(second("95.00", "20.00"))
	more.Listing.Variants[0].MSRP = "22.00"
	steps, r := look(by, made, more)
	if diff := cmp.Diff([]string{"update price"}, steps); diff != "" || r.State != store.StateHeld ||
		r.Variants[0].Price != "22.00" || len(ids(r)) != 1 {
		t.Fatalf("%s at %s with %v, want the new variant alone held back\n%s", r.State, r.Variants[0].Price, ids(r),
			diff)
	}
	if steps, again := look(by, r, more); len(steps) != 0 || again.State != store.StateHeld {
		t.Errorf("the next look: %v, %s, want nothing to do", steps, again.State)
	}
	r.Approved = r.Holds
	steps, r = look(by, r, more)
	if diff := cmp.Diff([]string{"update variants"}, steps); diff != "" || r.State != store.StateLive ||
		len(ids(r)) != 2 {
		t.Errorf("approved: got %s with %v, want live with two variants\n%s", r.State, ids(r), diff)
	}

	// One that was never shown, since it had no price or the shop refused it, is as new.
	for name, r := range map[string]store.Record{
		"no price before": {Variants: append(made.Variants[:1:1], store.Variant{
			ID:      "v2",
			Refused: "it has no msrp", Unpriced: true,
		})},
		"refused by the shop": {Variants: append(made.Variants[:1:1], store.Variant{
			ID: "v2", Price: "90.00",
			Refused: "no",
		})},
	} {
		was := made
		was.Variants = r.Variants
		if _, r := look(by, was, bench(second("95.00", "20.00"))); r.State != store.StateHeld {
			t.Errorf("%s: %s, want it held", name, r.State)
		}
	}
	// Where nothing else is left to sell, what is on sale stays as it is.
	steps, r = look(by, made, bench(func(p *marketplace.Publication) {
		second("95.00", "20.00")(p)
		p.Listing.Variants = p.Listing.Variants[1:]
	}))
	if len(steps) != 0 || r.State != store.StateHeld || !r.OnSale || len(ids(r)) != 1 {
		t.Errorf("nothing else to sell: got %v, %+v, want no step, held and on sale with one variant", steps, r)
	}
}

// What a lost store had on sale stays there: its price is not known, and the new one is not written
// unseen.
func TestAFirstPriceOfWhatIsOnSaleAlready(t *testing.T) {
	by := withFirst(t)
	r := store.Record{ID: "p1"}
	if !Adopt(
		&r, false, shopadapter.Listed{
			Ref: shopadapter.Ref{Listing: "shop-1"}, Listing: shopadapter.Listing{URL: tableAddress, OnSale: true},
		},
		tableNow,
	) {
		t.Fatal("got a listing that is not taken over, want it to be")
	}
	steps, held := look(by, r, bench(dear))
	if len(steps) != 0 || held.State != store.StateHeld || !held.OnSale || held.ShopID != "shop-1" {
		t.Errorf("%v lead to %+v, want it held and on sale", steps, held)
	}
	if steps, held := look(by, r, bench(func(*marketplace.Publication) {})); held.State != store.StateLive ||
		!strings.HasPrefix(steps[0], "update") {
		t.Errorf("a usual price: got %v, %s, want an update, live", steps, held.State)
	}
}

// The prices of an attempt are in the record before the shop is asked, until the end of every
// attempt is known.
func TestSentPrices(t *testing.T) {
	_, made := look(tableDecider(t, nil), store.Record{ID: "p1"}, bench(func(*marketplace.Publication) {}))
	dearer := func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "26.00" }
	doubtful := made
	doubtful.Open, doubtful.Attempted = true, shopadapter.FieldPrice
	doubtful.Sent = []store.Sent{{Variant: "v1", Price: "24.00"}}
	lost := func(Decision) Outcome { return Outcome{Err: shopadapter.Retry("no answer")} }
	no := func(Decision) Outcome { return Outcome{Err: shopadapter.Reject("no")} }
	hidden := func(Decision) Outcome { return Outcome{Err: shopadapter.ErrHidden} }
	for _, tt := range []struct {
		name string
		keep shopadapter.Fields
		r    store.Record
		pub  func(*marketplace.Publication)
		shop func(Decision) Outcome
		sent string // noted before the call
		left string // after the look
	}{
		{"taken", 0, made, dearer, takes, "26.00", ""},
		{"no answer", 0, made, dearer, lost, "26.00", "26.00"},
		{
			"no answer, of stock alone", 0, made,
			func(p *marketplace.Publication) { p.Listing.Variants[0].Quantity = nil }, lost, "", "",
		},
		{"no answer, the price is the merchant's", shopadapter.FieldPrice, made, func(p *marketplace.Publication) {
			dearer(p)
			p.Listing.Variants[0].Quantity = nil
		}, lost, "", ""},
		{"no answer, new", 0, store.Record{ID: "p1"}, dearer, lost, "26.00", "26.00"},
		{
			"no answer, new, the price is the merchant's later",
			shopadapter.FieldPrice,
			store.Record{ID: "p1"},
			dearer, lost, "26.00", "26.00",
		},
		{"refused, an earlier version is on sale", 0, made, dearer, no, "26.00", ""},
		{"refused, after an attempt without an answer", 0, doubtful, dearer, no, "26.00", "24.00"},
		{"refused, new: it was never shown", 0, store.Record{ID: "p1"}, dearer, no, "26.00", ""},
		{"hidden by hand", 0, made, dearer, hidden, "26.00", ""},
	} {
		by := tableDecider(t, func(s *Settings) { s.Rules.Keep = tt.keep })
		noted, asked := store.Record{}, false
		d := by.Decide(tt.r, store.Mark{ID: "p1", Cause: store.CauseSeen},
			Seen{Publication: bench(tt.pub), At: tableNow})
		_, s := drive(d, func(d Decision) Outcome {
			if a, ok := d.Attempt(); ok && !asked {
				a.Apply(&noted)
				asked = true
			}
			return tt.shop(d)
		})
		if got := sentPrice(noted); !asked || got != tt.sent {
			t.Errorf("%s: before the call the record knows of %q, want %q", tt.name, got, tt.sent)
		}
		if got := sentPrice(s.Record); got != tt.left {
			t.Errorf("%s: after the look the record knows of %q, want %q", tt.name, got, tt.left)
		}
	}
}

func sentPrice(r store.Record) string {
	if len(r.Sent) == 0 {
		return ""
	}
	return r.Sent[0].Price
}

// A product whose first attempt the shop refused is as new as it was: its next price is no move
// from one that was shown.
func TestAFirstPriceAfterARefusal(t *testing.T) {
	by := withFirst(t)
	no := func(Decision) Outcome { return Outcome{Err: shopadapter.Reject("no")} }
	_, s := drive(by.Decide(store.Record{ID: "p1"}, store.Mark{ID: "p1"},
		Seen{Publication: bench(func(*marketplace.Publication) {}), At: tableNow}), no)
	moved := bench(func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "90.00" })
	if _, r := look(by, s.Record, moved); r.State != store.StateLive || r.Variants[0].Price != "90.00" {
		t.Errorf("%s with %+v, want it on sale for 90.00", r.State, r.Holds)
	}
}
