package publication

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Any rule makes the same figures of what the record keeps of the supplier's as of the variant.
func TestSupplyMakesTheSameFigures(t *testing.T) {
	amount := rapid.OneOf(
		rapid.StringMatching(`[ ]?[0-9]{0,3}(\.[0-9]{1,3})?[ ]?`),
		rapid.SampledFrom([]string{"n/a", "-1", "1e2", "1e99"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		v := marketplace.Variant{
			ID: "v", Cost: amount.Draw(t, "cost"), MSRP: amount.Draw(t, "msrp"),
			Policy: rapid.SampledFrom([]string{"", "continue", "DENY"}).Draw(t, "policy"),
		}
		if rapid.Bool().Draw(t, "counted") {
			n := rapid.IntRange(-3, 9).Draw(t, "quantity")
			v.Quantity = &n
		}
		rules := Rules{Price: drawRule(t), StockBuffer: rapid.IntRange(0, 4).Draw(t, "buffer")}
		of := func(v marketplace.Variant) ([]shopadapter.Variant, map[string]string) {
			d := newDesired()
			newMapper(
				rules, Brake{},
			).variants(&d, &marketplace.Listing{Variants: []marketplace.Variant{v}}, store.Record{}, time.Now())
			return d.product.Variants, d.refused
		}
		got, refused := of(variantOf(v.ID, supplyOf(v)))
		want, why := of(v)
		if diff := cmp.Diff(want, got); diff != "" || cmp.Diff(why, refused) != "" {
			t.Errorf("of the record (-want of the variant, +got):\n%s%s", diff, cmp.Diff(why, refused))
		}
	})
}

// What the supplier gives is kept at each look at content, though the shop takes nothing.
func TestSupplyIsKept(t *testing.T) {
	by, n := tableDecider(t, nil), 9
	of := func(p *marketplace.Publication) {
		p.Listing.Variants[0].Quantity, p.Listing.Variants[0].Cost = &n, "11.00"
	}
	read := Seen{Publication: bench(func(*marketplace.Publication) {}), At: tableNow}
	_, made := drive(by.Decide(store.Record{ID: "p1"}, store.Mark{ID: "p1"}, read), takes)
	if got, want := made.Record.Variants[0].Supplied, (store.Supply{
		Known: true, Cost: "10.00", MSRP: "20.00",
		Quantity: 5,
	}); got != want {
		t.Errorf("after the first look %+v, want %+v", got, want)
	}
	refuses := func(Decision) Outcome { return Outcome{Err: shopadapter.Retry("busy")} }
	_, failed := drive(
		by.Decide(made.Record, store.Mark{ID: "p1"}, Seen{Publication: bench(of), At: tableNow}), refuses,
	)
	v := failed.Record.Variants[0]
	if want := (store.Supply{Known: true, Cost: "11.00", MSRP: "20.00", Quantity: 9}); v.Supplied != want ||
		v.Quantity != 5 {
		t.Errorf(
			"after a look that failed %+v beside a quantity of %d, want %+v beside 5", v.Supplied, v.Quantity, want,
		)
	}
	unpriced := bench(func(p *marketplace.Publication) {
		p.Listing.Variants = append(p.Listing.Variants, marketplace.Variant{ID: "v2", Cost: "7.00"})
	})
	_, partial := drive(
		by.Decide(store.Record{ID: "p1"}, store.Mark{ID: "p1"}, Seen{Publication: unpriced, At: tableNow}), takes,
	)
	i := slices.IndexFunc(partial.Record.Variants, func(v store.Variant) bool { return v.ID == "v2" })
	if got := partial.Record.Variants[i]; !got.Unpriced || got.Supplied.Cost != "7.00" {
		t.Errorf("a variant that no price can be made for is %+v, want its cost of 7.00 kept", got)
	}
}
