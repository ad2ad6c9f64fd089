package httpshop

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

var bothFigures = shopadapter.Product{Figures: true, UpdatedAt: "2026-11-01T08:00:00Z", Variants: []shopadapter.Variant{
	{ID: "v1", Price: "1.95"},
	{ID: "v2", Price: "7.95", Cost: "3.00", MSRP: "8.00", Quantity: 3, Backorders: true},
}}

// A write of figures sends figures alone, once health says that the endpoint takes them.
func TestRestock(t *testing.T) {
	shop := &scripted{
		code: http.StatusOK,
		body: `{"figures":true,"id":"7","url":"https://shop.example/7","variants":{"v1":"71","v2":"72"}}`,
	}
	a := shop.open(t)
	ref := shopadapter.Ref{Publication: "p/1", Listing: "7", OnSale: true}
	listing, err := a.Publish(t.Context(), ref, bothFigures, shopadapter.FieldPrice|shopadapter.FieldStock)
	want := shopadapter.Listing{
		ID: "7", URL: "https://shop.example/7",
		Variants: []shopadapter.ListedVariant{{ID: "v1", ShopID: "71"}, {ID: "v2", ShopID: "72"}},
		Refused:  map[string]string{},
	}
	if diff := cmp.Diff(want, listing); diff != "" || err != nil {
		t.Errorf("%v, (-want +got)\n%s", err, diff)
	}
	if shop.req.Method != http.MethodPatch || shop.req.URL.EscapedPath() != "/pubsync/products/p%2F1" {
		t.Errorf("got %s %s, want PATCH /pubsync/products/p%%2F1", shop.req.Method, shop.req.URL.EscapedPath())
	}
	const sent = `{"variants":[{"id":"v1","price":"1.95","cost":"","msrp":"","quantity":0,"backorders":false},` +
		`{"id":"v2","price":"7.95","cost":"3.00","msrp":"8.00","quantity":3,"backorders":true}],` +
		`"updatedAt":"2026-11-01T08:00:00Z","changed":["price","stock"]}`
	if shop.sent != sent {
		t.Errorf("got %s, want %s", shop.sent, sent)
	}
}

// Without the endpoint's word no figures are sent: the product is read and put whole.
func TestRestockThatNeedsTheWhole(t *testing.T) {
	good := shopadapter.Ref{Publication: "p1", Listing: "7"}
	for name, c := range map[string]struct {
		health string
		ref    shopadapter.Ref
	}{
		"no word":    {`{"currency":"EUR"}`, good},
		"not true":   {`{"figures":"true"}`, good},
		"no listing": {`{"figures":true}`, shopadapter.Ref{Publication: "p1"}},
		"a reset":    {`{"figures":true}`, shopadapter.Ref{Publication: "p1", Listing: "7", Reset: shopadapter.FieldTitle}},
	} {
		shop := &scripted{code: http.StatusOK, body: c.health}
		if _, err := shop.open(t).Publish(t.Context(), c.ref, bothFigures, shopadapter.FieldPrice); !errors.Is(
			err,
			shopadapter.ErrWhole,
		) {
			t.Errorf("%s: got %v, want ErrWhole", name, err)
		}
		if shop.req != nil && shop.req.Method != http.MethodGet {
			t.Errorf("%s: got %s %s, want no request but for health", name, shop.req.Method, shop.req.URL)
		}
	}
}

// What an answer to PATCH means, and whether the endpoint still counts as one that takes figures.
func TestAnswersToFigures(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   int
		body   string
		want   error
		kind   shopadapter.Kind
		health int // requests for it after another write of figures
	}{
		{"it does not hold the product", 404, "", shopadapter.ErrWhole, 0, 1},
		{"it does not hold it whole", 409, "", shopadapter.ErrWhole, 0, 1},
		{"deleted by hand", 410, `{"deleted":true}`, shopadapter.ErrGone, 0, 1},
		{"it takes figures no more", 405, "", shopadapter.ErrWhole, 0, 1},
		{"nor this one", 501, "", shopadapter.ErrWhole, 0, 1},
		{"another product", 200, `{"id":"8"}`, shopadapter.ErrWhole, 0, 1},
		{"no id", 200, `{}`, nil, shopadapter.Transient, 1},
		{"a refusal", 422, "", nil, shopadapter.Rejected, 1},
		{"a bad day", 500, "", nil, shopadapter.Transient, 1},
		{"another token", 401, "", nil, shopadapter.Blocked, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			shop := &scripted{code: c.code, body: c.body, health: `{"figures":true}`}
			a := shop.open(t)
			for range 2 {
				_, err := a.Publish(
					t.Context(), shopadapter.Ref{Publication: "p1", Listing: "7"}, bothFigures,
					shopadapter.FieldPrice,
				)
				if c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if e := shopadapter.Explain(err); c.want == nil && e.Kind != c.kind {
					t.Errorf("got an error of kind %v, want %v: %v", e.Kind, c.kind, err)
				}
			}
			if shop.asked != c.health {
				t.Errorf("got %d requests for health, want %d", shop.asked, c.health)
			}
		})
	}
}
