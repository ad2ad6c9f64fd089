package desk

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func listedIDs(list List) string {
	var ids []string
	for _, l := range list.Publications {
		ids = append(ids, l.ID)
	}
	return strings.Join(ids, " ")
}

func TestListThatATextFinds(t *testing.T) {
	o := newOffice(t, assortment()...)
	for _, tt := range []struct {
		name string
		q    Query
		want string
	}{
		{"a part of a title", Query{Find: "A"}, "1 2"},
		{"in capitals", Query{Find: " CHAIR "}, "2"},
		{"a letter beyond ASCII", Query{Find: "äRM"}, "3"},
		{"an id", Query{Find: "4"}, "4"},
		{"the shop's id", Query{Find: "shop-9"}, "1"},
		{"of one state", Query{Find: "a", State: store.StateLive}, "1"},
		{"nothing", Query{Find: "zebra"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Limit = 10
			list, err := o.local.Publications(t.Context(), tt.q)
			if err != nil {
				t.Fatal(err)
			}
			if got := listedIDs(list); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// Each list is read to its end by its cursors, and says how long it is on each page.
func TestListByPages(t *testing.T) {
	o := newOffice(t, assortment()...)
	c := o.client(t)
	for _, tt := range []struct {
		name string
		q    Query
		want []string
	}{
		{"by id", Query{}, []string{"1 2", "3 4", "5"}},
		{"of a state", Query{State: store.StateLive}, []string{"1 4"}},
		{"found", Query{Find: "l"}, []string{"1 3", "4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var pages []string
			total := len(strings.Fields(strings.Join(tt.want, " ")))
			for tt.q.Limit = 2; ; {
				list, err := c.Publications(t.Context(), tt.q)
				if err != nil {
					t.Fatal(err)
				}
				if tt.q.Find == "" && list.Total != total {
					t.Errorf("total %d, want %d", list.Total, total)
				}
				pages = append(pages, listedIDs(list))
				if tt.q.After = list.After; list.After == "" {
					break
				}
			}
			if diff := cmp.Diff(tt.want, pages); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestListOfFigures(t *testing.T) {
	o := newOffice(t, assortment()...)
	list, err := o.local.Publications(t.Context(), Query{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
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
