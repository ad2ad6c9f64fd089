// An import makes one listing and one report of each entry, on each kind of server.

package main_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// idle makes a run that must find nothing to do, and cost next to nothing.
func (s *site) idle(known int) {
	s.t.Helper()
	s.shop.forget()
	s.market.Forget()
	sum := s.imported()
	if sum.Created+sum.Updated+sum.Reported+sum.Withdrawn != 0 || len(s.shop.requests("")) != 0 ||
		len(s.market.Reports()) != 0 {
		s.t.Errorf("the second run wrote: %+v, %d requests of the shop, %d reports", sum, len(s.shop.requests("")),
			len(s.market.Reports()))
	}
	requests, points := 0, 0
	for _, total := range s.market.Totals() {
		requests += total.Requests
		points += total.ActualCost
	}
	if sum.Requests > 4 || sum.Cost > 30 || requests > 4 || points > 30 || sum.Throttled > 0 {
		s.t.Errorf("an idle sweep of %d costs %d requests and %d points by the marketplace's account, %d and %d by its own",
			known, requests, points, sum.Requests, sum.Cost)
	}
	if n := len(s.contentReads()); n != 0 {
		s.t.Errorf("an idle sweep read the content of %d", n)
	}
}

// matches fails the test unless the shop holds what the supplier offers.
func (s *site) matches(id string) {
	s.t.Helper()
	p, ok := s.market.Publication(id)
	if !ok {
		s.t.Fatalf("%s is not on the import list", id)
	}
	held := s.shop.product(s.t, id)
	if !held.onSale {
		s.t.Errorf("%s is not on sale", id)
	}
	sent := held.sent
	if sent.ID != id || sent.ListingID != p.Listing.ID || sent.ProductID != p.Listing.ProductID {
		s.t.Errorf("%s was sent as %s, listing %s, product %s", id, sent.ID, sent.ListingID, sent.ProductID)
	}
	if len(sent.Variants) != len(p.Listing.Variants) {
		s.t.Fatalf("%s has %d variants in the shop, %d at the supplier", id, len(sent.Variants), len(p.Listing.Variants))
	}
	for i, v := range p.Listing.Variants {
		got := sent.Variants[i]
		if got.ID != v.ID || got.MSRP != v.MSRP || got.Cost != v.Cost || got.Quantity != max(v.Quantity, 0) ||
			got.Backorders != (v.Policy == "CONTINUE") {
			s.t.Errorf("%s: the shop holds %+v of the supplier's %+v", id, got, v)
		}
	}
}

func TestImportFromEveryKindOfServer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    sandbox.Options
		idle bool // sorts by UPDATED_AT_ASC, so that an idle sweep is cheap
	}{
		{"ids are String", sandbox.Options{StringIDs: true}, true},
		{"status is an enum", sandbox.Options{Status: sandbox.StatusEnum}, true},
		{"status is an upper-case enum", sandbox.Options{Status: sandbox.StatusEnumUpper, StringImageMethod: true}, true},
		{
			"one status more",
			sandbox.Options{ExtraStatus: "archived", EnumPolicy: true, EnumEvents: true, EnumAccountType: true},
			true,
		},
		{"no UPDATED_AT_ASC", sandbox.Options{NoUpdatedAtSort: true}, false},
		{"no introspection", sandbox.Options{NoIntrospection: true}, true},
		{
			"no introspection, upper-case enum",
			sandbox.Options{NoIntrospection: true, Status: sandbox.StatusEnumUpper},
			true,
		},
		{
			"no introspection, no UPDATED_AT_ASC",
			sandbox.Options{NoIntrospection: true, NoUpdatedAtSort: true, RequestErrorStatus: 400},
			false,
		},
		{
			"scalars cost a point, limit 400",
			sandbox.Options{ScalarCost: 1, Limit: 1000, QueryLimit: 400, PageInfoMultiplied: true},
			true,
		},
		{"limit 2000, bare 429", sandbox.Options{Limit: 2000, Throttle: sandbox.Bare429}, true},
		{
			"an explicit null empties a list",
			sandbox.Options{NullIsEmpty: true, StringReturns: true, StringShippingDays: true},
			true,
		},
		{"updatedAt of a second", sandbox.Options{UpdatedAtPrecision: time.Second}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.o)
			if tt.o.NoIntrospection && tt.o.Status == sandbox.StatusEnumUpper {
				s.set("MARKETPLACE_FORMS", "status=SUCCESS,FAILED")
			}
			ids := s.market.AddSound(23)
			sum := s.imported()
			if sum.Created != 23 || sum.Reported != 23 || len(s.shop.requests(http.MethodPut)) != 23 ||
				sum.Throttled != 0 {
				t.Errorf("import: %+v, %d PUTs", sum, len(s.shop.requests(http.MethodPut)))
			}
			for _, id := range ids {
				s.matches(id)
				if got := s.reported(id); !slices.Equal(got, []string{"success"}) {
					t.Errorf("%s was reported %v", id, got)
				}
			}
			if tt.idle {
				s.idle(23)
				return
			}
			s.shop.forget()
			s.market.Forget()
			if sum := s.imported(); len(s.shop.requests("")) != 0 || len(s.market.Reports()) != 0 ||
				len(s.contentReads()) != 0 {
				t.Errorf("the second run wrote or read content: %+v", sum)
			}
		})
	}
}
