package marketplace_test

import (
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Figures of several publications cost one request and their fields. One with another variant than
// was expected is not whole, and one that is gone, or has no listing, is missing.
func TestFigures(t *testing.T) {
	t.Parallel()
	m, c := open(t, sandbox.Options{}, 0)
	ids := m.AddSound(4)
	held, _ := m.Publication(ids[0])
	have := len(held.Listing.Variants)
	if err := m.Update(ids[1], func(l *sandbox.Listing) {
		l.Variants = append(l.Variants, sandbox.Variant{
			Options: []sandbox.Option{{Name: "Color", Value: "new"}}, Cost: "1.00", MSRP: "2.00", SKU: "NEW",
		})
	}); err != nil {
		t.Fatal(err)
	}
	m.Remove(ids[2])
	if err := m.Supply(ids[3], []string{"listing=none"}); err != nil {
		t.Fatal(err)
	}
	of := make([]marketplace.Expected, len(ids))
	for i, id := range ids {
		of[i] = marketplace.Expected{ID: id, Variants: have}
	}
	grown, _ := m.Publication(ids[1])
	of[1].Variants = len(grown.Listing.Variants) - 1
	if n, err := c.FitFigures(t.Context(), of); err != nil || n != len(of) {
		t.Fatalf("%d fit, %v", n, err)
	}
	adm, err := c.AdmitFigures(t.Context(), marketplace.Sweep, of)
	if err != nil {
		t.Fatal(err)
	}
	before := c.Stats().Requests
	seen, err := c.Figures(t.Context(), adm, of)
	if err != nil || c.Stats().Requests-before != 1 || len(seen) != 2 {
		t.Fatalf("%d requests show %+v, %v", c.Stats().Requests-before, seen, err)
	}
	got := seen[ids[0]]
	if !got.Whole || got.UpdatedAt == "" || len(got.Variants) != have || seen[ids[1]].Whole {
		t.Errorf("%+v", seen)
	}
	for i, v := range got.Variants {
		h := held.Listing.Variants[i]
		if v.ID != h.ID || v.Cost != h.Cost || v.MSRP != h.MSRP || v.Quantity == nil || *v.Quantity != h.Quantity ||
			v.Title != "" {
			t.Errorf("variant %d is %+v, want %+v", i, v, h)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for address, want := range map[string]string{
		"https://market.test":                 "https://market.test/v1/graphql",
		"https://market.test/":                "https://market.test/v1/graphql",
		"https://market.test/v1/graphql":      "https://market.test/v1/graphql",
		"https://market.test/graphql":         "https://market.test/graphql",
		"https://market.test/mygraphql":       "https://market.test/mygraphql/v1/graphql",
		"https://graphql":                     "https://graphql/v1/graphql",
		"https://market.test/graphql/wrapper": "https://market.test/graphql/wrapper/v1/graphql",
	} {
		if got := marketplace.Endpoint(address); got != want {
			t.Errorf("Endpoint(%q) is %q, want %q", address, got, want)
		}
	}
}
