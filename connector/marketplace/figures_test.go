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
	if err := m.SetListing(ids[3], nil); err != nil {
		t.Fatal(err)
	}
	of := make([]marketplace.Expected, len(ids))
	for i, id := range ids {
		of[i] = marketplace.Expected{ID: id, Variants: have}
	}
	grown, _ := m.Publication(ids[1])
	of[1].Variants = len(grown.Listing.Variants) - 1
	switch n, err := c.FitFigures(t.Context(), of); {
	case err != nil:
		t.Fatalf("%d fit, %v; err: got %v, want nil", n, err, err)
	case n != len(of):
		t.Fatalf("%d fit, %v; n: got %v, want %v", n, err, n, len(of))
	}
	adm, err := c.AdmitFigures(t.Context(), marketplace.Sweep, of)
	if err != nil {
		t.Fatal(err)
	}
	before := c.Stats().Requests
	seen, err := c.Figures(t.Context(), adm, of)
	switch {
	case err != nil:
		t.Fatalf("%d requests show %+v, %v; err: got %v, want nil", c.Stats().Requests-before, seen, err, err)
	case c.Stats().Requests-before != 1:
		t.Fatalf(
			"%d requests show %+v, %v; c.Stats().Requests-before: got %v, want %v", c.Stats().Requests-before, seen, err,
			c.Stats().Requests-before, 1,
		)
	case len(seen) != 2:
		t.Fatalf("%d requests show %+v, %v; len(seen): got %v, want %v", c.Stats().Requests-before, seen, err, len(seen), 2)
	}
	got := seen[ids[0]]
	switch {
	case !got.Whole:
		t.Errorf("%+v; got.Whole: got false, want true", seen)
	case got.UpdatedAt == "":
		t.Errorf("%+v; got.UpdatedAt: got %q, want another", seen, got.UpdatedAt)
	case len(got.Variants) != have:
		t.Errorf("%+v; len(got.Variants): got %v, want %v", seen, len(got.Variants), have)
	case seen[ids[1]].Whole:
		t.Errorf("%+v; seen[ids[1]].Whole: got true, want false", seen)
	}
	for i, v := range got.Variants {
		h := held.Listing.Variants[i]
		switch {
		case v.ID != h.ID:
			t.Errorf("variant %d is %+v, want %+v; v.ID: got %v, want %v", i, v, h, v.ID, h.ID)
		case v.Cost != h.Cost:
			t.Errorf("variant %d is %+v, want %+v; v.Cost: got %v, want %v", i, v, h, v.Cost, h.Cost)
		case v.MSRP != h.MSRP:
			t.Errorf("variant %d is %+v, want %+v; v.MSRP: got %v, want %v", i, v, h, v.MSRP, h.MSRP)
		case v.Quantity == nil:
			t.Errorf("variant %d is %+v, want %+v; v.Quantity: got nil, want a value", i, v, h)
		case *v.Quantity != h.Quantity:
			t.Errorf("variant %d is %+v, want %+v; *v.Quantity: got %v, want %v", i, v, h, *v.Quantity, h.Quantity)
		case v.Title != "":
			t.Errorf("variant %d is %+v, want %+v; v.Title: got %q, want %q", i, v, h, v.Title, "")
		}
	}
}

// Where the marketplace refuses several publications in one request, each is asked for by itself.
func TestFiguresWithoutAliases(t *testing.T) {
	t.Parallel()
	m, c := open(t, sandbox.Options{MostAliases: -1}, 0)
	ids := m.AddSound(3)
	of := make([]marketplace.Expected, len(ids))
	for i, id := range ids {
		of[i] = marketplace.Expected{ID: id, Variants: 6}
	}
	adm, err := c.AdmitFigures(t.Context(), marketplace.Sweep, of)
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := c.Figures(t.Context(), adm, of); err != nil || len(seen) != len(ids) {
		t.Errorf("got %d of %d, %v, want all", len(seen), len(ids), err)
	}
}
