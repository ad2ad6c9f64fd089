// What cannot be read of a listing stays as it was last sent.

package main_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// An endpoint is sent a whole product though part of the listing cannot be read: what was last sent
// stands in its place, also after a restart, and explain warns.
func TestAWholeBodyThoughPartOfTheListingCannotBeRead(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.imported()
	before := s.shop.product(t, ids[0]).sent
	s.market.Inject(sandbox.Fault{
		Kind: sandbox.OddShape, Probability: 1, On: []sandbox.Kind{sandbox.KindContent},
		Fields: []string{"images", "category", "dropshippingShippingDetails", "dropshippingReturns", "ean"},
	})
	if err := s.market.Update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = "21.00" }); err != nil {
		t.Fatal(err)
	}
	if sum := s.once(); sum.Exit != 0 || sum.Updated != 1 {
		t.Errorf("the run: %+v", sum)
	}
	after := s.shop.product(t, ids[0]).sent
	if !slices.Equal(after.Changed, []string{"price"}) || after.Variants[0].Price == before.Variants[0].Price {
		t.Errorf("changed %v, price %s", after.Changed, after.Variants[0].Price)
	}
	for _, p := range []*product{&before, &after} {
		p.Changed, p.UpdatedAt, p.Variants = nil, "", nil
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	if r := s.call("explain", ids[0]); !strings.Contains(r.stdout,
		"cannot be read: returns, category, shipping, ean, images") {
		t.Errorf("explain:\n%s", r.stdout)
	}
}
