package desk

import (
	"encoding/json"
	"strings"
	"testing"

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

// Each list is read to its end by its cursors, and says how long it is on each page. A text finds a part of a title, or
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
		total := len(strings.FieldsFunc(tt.pages, func(r rune) bool { return r == ' ' || r == '|' }))
		for tt.q.Limit = tt.limit; ; {
			list := must[List](t, tt.name)(c.Publications(t.Context(), tt.q))
			if tt.q.Find == "" {
				expect(t, tt.name+": total", list.Total, total)
			}
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
