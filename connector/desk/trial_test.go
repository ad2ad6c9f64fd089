package desk

import (
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// priced is a publication on sale with a variant for each price, all with a cost of 10.
func priced(id string, prices ...string) store.Record {
	r := store.Record{ID: id, Title: "Lamp " + id, State: store.StateLive, Sale: store.OnSale}
	for _, price := range prices {
		r.Variants = append(r.Variants, store.Variant{
			ID: price, Title: "of " + price, Supply: store.Supply{Known: true, Cost: "10.00"},
			Written: store.Written{Price: price, Cost: "10.00"},
		})
	}
	return r
}

func byCost(percent int64) publication.Rules {
	return publication.Rules{
		Price: publication.PriceRule{Base: publication.BaseCost, Markup: decimal.NewFromInt(percent)},
	}
}

func TestTry(t *testing.T) {
	without := priced("4", "7.00")
	without.Variants[0].Supply.Cost, without.Variants[0].Written.Cost = "", ""
	gone := priced("5", "1.00")
	gone.State, gone.Sale = store.StateWithdrawn, store.Off
	never := priced("6", "90.00") // its first price is held
	never.State, never.Sale = store.StateHeld, store.Off
	stale := priced("3", "40.00") // an earlier version is on sale
	stale.State = store.StateRejected
	o := newOffice(t, priced("1", "15.00", "20.00"), priced("2", "14.00"), stale, without, gone, never)
	o.local.Rules = byCost(50)
	o.local.Read = func(map[string]string) (publication.Rules, publication.Brake, error) {
		return byCost(50), publication.Brake{PricePercent: decimal.NewFromInt(50)}, nil
	}
	got := must[Trial](t, "trial")(o.local.Try(t.Context(), map[string]string{}))
	want := Trial{
		Values: map[string]string{}, Publications: 4, Variants: 5, Up: 1, Down: 2, Held: 1, Without: 1,
		Why:    "it has no cost to make a price from",
		Costed: 4, MarginNow: 46.7, MarginThen: 33.3,
		Most: []Move{
			{ID: "3", Title: "Lamp 3", Variant: "of 40.00", Old: "40.00", New: "15.00", Percent: -62.5, Held: true},
			{ID: "1", Title: "Lamp 1", Variant: "of 20.00", Old: "20.00", New: "15.00", Percent: -25},
			{ID: "2", Title: "Lamp 2", Variant: "of 14.00", Old: "14.00", New: "15.00", Percent: 7.1},
		},
	}
	expect(t, "trial", got, want)
	o.local.Read = func(set map[string]string) (publication.Rules, publication.Brake, error) {
		return publication.Rules{}, publication.Brake{}, errors.New(set["PUBSYNC_PRICE_ENDING"] + " is no ending")
	}
	got = must[Trial](t, "trial")(o.local.Try(t.Context(), map[string]string{"PUBSYNC_PRICE_ENDING": "x"}))
	expect(t, "fault", got.Fault, "x is no ending")
}

// While a change is held the desk shows the supplier's figures of now, everywhere the same: what is approved is seen.
func TestFiguresOfWhatIsHeldAreThoseOfNow(t *testing.T) {
	r := priced("1", "15.00")
	r.Variants[0].Supply = store.Supply{Known: true, Cost: "20.00", MSRP: "60.00", Quantity: 3}
	r.Holds = []store.Hold{{Kind: store.HoldPrice, Variant: "15.00", Old: "15.00", New: "30.00", Reason: "far"}}
	o := newOffice(t, r)
	o.local.Rules = byCost(50)
	v := must[Explanation](t, "explain")(o.local.Explain(t.Context(), "1")).Variants[0]
	steps := strings.Join(v.Steps, "; ")
	if v.Cost != "20.00" || v.MSRP != "60.00" || !strings.Contains(steps, "= 30.00") ||
		!strings.Contains(steps, "keeps 15.00") {
		t.Errorf("explained by %s, %s and %q, want the figures of now, 30.00 and that 15.00 is kept", v.Cost, v.MSRP, v.Steps)
	}
	list := must[List](t, "list")(o.local.Publications(t.Context(), Query{Limit: 10}))
	if m := list.Publications[0].Margin; m == nil || *m != -33.3 {
		t.Errorf("listed with a margin of %v, want -33.3", m)
	}
}
