package desk

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func assortment() []store.Record {
	variant := func(price, cost string, stock int) store.Variant {
		return store.Variant{
			ID: price, Supply: store.Supply{Known: true, Cost: cost},
			Written: store.Written{Price: price, Cost: cost, Quantity: stock},
		}
	}
	refused := variant("1.00", "1", 99)
	refused.Refused = "no"
	return []store.Record{
		{
			ID: "1", State: store.StateLive, Title: "Lamp", ShopID: "shop-9", UpdatedAt: "2026-11-03T10:00:00Z",
			Variants: []store.Variant{variant("9.95", "5.00", 3), variant("12.95", "5.00", 4)},
			Pictures: store.Pictures{Thumbnail: "https://pictures.example/1.png"},
		},
		{
			ID: "2", State: store.StatePartial, Title: "chair", UpdatedAt: "2026-11-01T10:00:00Z",
			Variants: []store.Variant{variant("100.00", "80.00", 0), refused},
		},
		{ID: "3", State: store.StatePending, Title: "Ärmel", UpdatedAt: "no time"},
		{
			ID: "4", State: store.StateLive, Title: "Bowl", UpdatedAt: "2026-11-02T10:00:00Z",
			Variants: []store.Variant{variant("9.00", "", 50)},
		},
		{ID: "5", State: store.StatePending},
	}
}

// Each list is read to its end by its cursors. A text finds a part of a title, or
// an id.
func TestListByPages(t *testing.T) {
	o := newOffice(t, assortment()...)
	c := o.client(t)
	for _, tt := range []struct {
		name  string
		limit int
		q     Query
		pages string
	}{
		{"by id", 2, Query{}, "1 2|3 4|5"},
		{"of a state", 2, Query{State: store.StateLive}, "1 4"},
		{"found", 2, Query{Find: "l"}, "1 3|4"},
		{"a part of a title", 9, Query{Find: "A"}, "1 2"},
		{"in capitals", 9, Query{Find: " CHAIR "}, "2"},
		{"a letter beyond ASCII", 9, Query{Find: "äRM"}, "3"},
		{"an id", 9, Query{Find: "4"}, "4"},
		{"the shop's id", 9, Query{Find: "shop-9"}, "1"},
		{"found of a state", 9, Query{Find: "a", State: store.StateLive}, "1"},
		{"nothing", 9, Query{Find: "zebra"}, ""},
	} {
		var pages []string
		for tt.q.Limit = tt.limit; ; {
			list := must[List](t, tt.name)(c.Publications(t.Context(), tt.q))
			var ids []string
			for _, l := range list.Publications {
				ids = append(ids, l.ID)
			}
			pages = append(pages, strings.Join(ids, " "))
			if tt.q.After = list.After; list.After == "" {
				break
			}
		}
		expect(t, tt.name, strings.Join(pages, "|"), tt.pages)
	}
}

func TestListOfFigures(t *testing.T) {
	o := newOffice(t, assortment()...)
	list := must[List](t, "list")(o.local.Publications(t.Context(), Query{Limit: 10}))
	got, err := json.Marshal(list.Publications)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"priceFrom":"9.95","priceTo":"12.95","stock":7,"marginPercent":49.7,` +
			`"thumbnail":"https://pictures.example/1.png"`,
		`"priceFrom":"100.00","priceTo":"100.00","stock":0,"marginPercent":20`,
		`"priceFrom":"9.00","priceTo":"9.00","stock":50}`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if p := list.Publications[2]; p.Stock != nil {
		t.Errorf("stock %d of what has no variant, want none", *p.Stock)
	}
}

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
	o.local.Read = func(map[string]string) (publication.Settings, error) {
		return publication.Settings{Rules: byCost(50), Brake: publication.Brake{PricePercent: decimal.NewFromInt(50)}}, nil
	}
	got := must[Trial](t, "trial")(o.local.Try(t.Context(), map[string]string{}))
	tried := func(old string, percent float64, held bool) publication.Trial {
		return publication.Trial{Old: old, New: "15.00", Percent: percent, Cost: "10.00", Held: held}
	}
	want := Trial{
		Values: map[string]string{}, Publications: 4, Variants: 5, Up: 1, Down: 2, Held: 1, Without: 1,
		Why:    "it has no cost to make a price from",
		Costed: 4, MarginNow: 46.7, MarginThen: 33.3,
		Most: []Move{
			{"3", "Lamp 3", "of 40.00", tried("40.00", -62.5, true)},
			{"1", "Lamp 1", "of 20.00", tried("20.00", -25, false)},
			{"2", "Lamp 2", "of 14.00", tried("14.00", 100.0/14, false)},
		},
	}
	expect(t, "trial", got, want)
	o.local.Read = func(map[string]string) (publication.Settings, error) {
		kept := byCost(50)
		kept.Keep = shopadapter.FieldPrice
		return publication.Settings{Rules: kept}, nil
	}
	got = must[Trial](t, "trial of kept prices")(o.local.Try(t.Context(), map[string]string{}))
	if got.Up+got.Down+got.Without > 0 || got.MarginThen != got.MarginNow {
		t.Errorf("kept prices move: %+v", got)
	}
	o.local.Read = func(set map[string]string) (publication.Settings, error) {
		return publication.Settings{}, errors.New(set["PUBSYNC_PRICE_ENDING"] + " is no ending")
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
