package httpshop

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Restock sends the product that was last sent, whole, with other figures.
func TestRestock(t *testing.T) {
	shop := &scripted{code: http.StatusOK, body: `{"id":"7","url":"https://shop.example/7","variants":{"v1":"71","v2":"72"}}`}
	a := shop.open(t)
	p := twoVariants()
	p.ID = "p1"
	p.Category = shopadapter.Category{Path: "HOME_LAMPS", Name: "Lamps", Branch: []shopadapter.Level{{Path: "HOME", Name: "Wonen"}, {Path: "HOME_LAMPS", Name: "Lampen"}}}
	p.Description = strings.Repeat("<p>Gives \"light\" & warmth: ë, 光.</p>", 50)
	listing, err := a.Publish(t.Context(), shopadapter.Ref{Publication: "p1"}, p, shopadapter.AllFields)
	if err != nil {
		t.Fatal(err)
	}
	first := shop.sent
	ref := shopadapter.Ref{Publication: "p1", Listing: listing.ID, State: listing.State, OnSale: true}
	figures := []shopadapter.Figures{
		{ID: "v2", Price: "7.95", Cost: "3.00", MSRP: "8.00", Quantity: 3, Backorders: true}, {ID: "v1", Price: "1.95", Quantity: 0},
	}
	again, err := a.Restock(t.Context(), ref, figures, shopadapter.FieldPrice|shopadapter.FieldStock)
	if err != nil || again.ID != "7" || again.URL != listing.URL || len(again.State) == 0 {
		t.Fatalf("%+v, %v", again, err)
	}
	want, got := map[string]any{}, map[string]any{}
	if err := errors.Join(json.Unmarshal([]byte(first), &want), json.Unmarshal([]byte(shop.sent), &got)); err != nil {
		t.Fatal(err)
	}
	for i, v := range want["variants"].([]any) {
		f := figures[1-i]
		m := v.(map[string]any)
		m["price"], m["cost"], m["msrp"], m["quantity"], m["backorders"] = f.Price, f.Cost, f.MSRP, float64(f.Quantity), f.Backorders
	}
	want["changed"] = []any{"price", "stock"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if q, ok := unpack(again.State); !ok || q.Variants[1].Price != "7.95" || q.Description != p.Description {
		t.Errorf("the state after it holds %+v, %t", q, ok)
	}
}

// A Restock that does not know the product sends nothing.
func TestRestockThatNeedsTheWhole(t *testing.T) {
	shop := &scripted{code: http.StatusOK, body: `{"id":"7"}`}
	a := shop.open(t)
	p := twoVariants()
	p.ID = "p1"
	listing, err := a.Publish(t.Context(), shopadapter.Ref{Publication: "p1"}, p, shopadapter.AllFields)
	if err != nil {
		t.Fatal(err)
	}
	shop.req = nil
	good := shopadapter.Ref{Publication: "p1", Listing: "7", State: listing.State}
	both := []shopadapter.Figures{{ID: "v1", Price: "1.00"}, {ID: "v2", Price: "2.00"}}
	for name, c := range map[string]struct {
		ref     shopadapter.Ref
		figures []shopadapter.Figures
	}{
		"no state":        {shopadapter.Ref{Publication: "p1", Listing: "7"}, both},
		"another's state": {shopadapter.Ref{Publication: "p2", Listing: "7", State: listing.State}, both},
		"no listing":      {shopadapter.Ref{Publication: "p1", State: listing.State}, both},
		"a torn state":    {shopadapter.Ref{Publication: "p1", Listing: "7", State: listing.State[:len(listing.State)/2]}, both},
		"another rule":    {shopadapter.Ref{Publication: "p1", Listing: "7", State: append([]byte{9}, listing.State[1:]...)}, both},
		"a reset":         {shopadapter.Ref{Publication: "p1", Listing: "7", State: listing.State, Reset: shopadapter.FieldTitle}, both},
		"one variant":     {good, both[:1]},
		"another variant": {good, []shopadapter.Figures{both[0], {ID: "v3", Price: "2.00"}}},
		"one twice":       {good, []shopadapter.Figures{both[0], both[0]}},
	} {
		if _, err := a.Restock(t.Context(), c.ref, c.figures, shopadapter.FieldPrice); !errors.Is(err, shopadapter.ErrWhole) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if shop.req != nil {
		t.Errorf("%s %s was sent", shop.req.Method, shop.req.URL)
	}
}
