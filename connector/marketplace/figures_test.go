package marketplace_test

import (
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Figures cost one request. Those of a publication with another variant than was expected are not whole, nor are those
// of one that is gone, has no listing, or that the server objects to.
func TestFigures(t *testing.T) {
	t.Parallel()
	m, c := open(t, sandbox.Options{}, 0)
	ids := m.AddSound(5)
	held, _ := m.Publication(ids[0])
	if err := m.Update(ids[1], func(l *sandbox.Listing) {
		l.Variants = append(l.Variants, sandbox.Variant{
			Options: []sandbox.Option{{Name: "Color", Value: "new"}}, Cost: "1.00", MSRP: "2.00", SKU: "NEW",
		})
	}); err != nil {
		t.Fatal(err)
	}
	grown, _ := m.Publication(ids[1])
	m.Remove(ids[2])
	if err := m.Supply(ids[3], []string{"listing=none"}); err != nil {
		t.Fatal(err)
	}
	read := func(id string, variants int) marketplace.Figures {
		t.Helper()
		of := marketplace.Expected{ID: id, Variants: variants}
		adm, err := c.AdmitFigures(t.Context(), marketplace.Sweep, of)
		if err != nil {
			t.Fatal(err)
		}
		before := c.Stats().Requests
		f, err := c.Figures(t.Context(), adm, of)
		if n := c.Stats().Requests - before; err != nil || n != 1 {
			t.Fatalf("%s: %d requests, %v", id, n, err)
		}
		return f
	}
	have := held.Listing.Variants
	got := read(ids[0], len(have))
	if !got.Whole || got.UpdatedAt == "" || len(got.Variants) != len(have) {
		t.Fatalf("got %+v", got)
	}
	for i, v := range got.Variants {
		h := have[i]
		if v.ID != h.ID || v.Cost != h.Cost || v.MSRP != h.MSRP || v.Quantity == nil || *v.Quantity != h.Quantity ||
			v.Title != "" {
			t.Errorf("variant %d is %+v, want %+v", i, v, h)
		}
	}
	m.Inject(sandbox.Fault{Kind: sandbox.Objection, Probability: 1, IDs: ids[4:], Message: "Nobody may see this"})
	for i, variants := range []int{len(grown.Listing.Variants) - 1, 5, 5, 5} {
		if got := read(ids[i+1], variants); got.Whole {
			t.Errorf("%d: got %+v, want none that are whole", i+1, got)
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
