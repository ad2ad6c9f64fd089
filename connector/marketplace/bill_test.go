package marketplace_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// TestBillWhereFieldsCostOtherwise lists, reads and reports publications of one kind on
// marketplaces that no model of the client fits. The floor is what every document costs when its
// pages are just long enough.
func TestBillWhereFieldsCostOtherwise(t *testing.T) {
	for _, market := range []struct {
		name    string
		options sandbox.Options
		listed  float64 // points of an entry
		rest    float64 // of the reading but for variants and images, of the look and of the report
		variant float64
		image   float64
	}{
		{
			"mutations cost 10 more",
			sandbox.Options{ScalarCost: 1, FieldCosts: sandbox.FieldCosts{"publicationStatusUpdated": 11}},
			4, 4 + 3 + 7 + 3 + 5 + 2 + 2*4 + 2 + 10 + 5, 12, 2,
		},
		{
			"unequal fields",
			sandbox.Options{
				ScalarCost: 1,
				FieldCosts: sandbox.FieldCosts{
					"transformedUrl": 6, "inventoryQuantity": 4, "translations": 5, "publicationStatusUpdated": 20,
				},
			},
			4, 4 + 3 + 11 + 3 + 5 + 2 + 2*4 + 2 + 19 + 5, 15, 7,
		},
	} {
		for _, l := range []struct{ variants, images int }{{1, 12}, {3, 0}, {60, 4}} {
			t.Run(fmt.Sprintf("%s/%d variants, %d images", market.name, l.variants, l.images), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const count = 60
					m, c := open(t, market.options, 0)
					for range count {
						listing := &sandbox.Listing{
							Texts:    map[string]sandbox.Text{"en": {Title: "Lamp"}, "nl": {Title: "Lamp"}},
							Category: "HOME_LIVING_CANDLES",
							Returns:  "true",
						}
						for v := range l.variants {
							listing.Variants = append(
								listing.Variants,
								sandbox.Variant{
									Options:  []sandbox.Option{{Name: "Size", Value: fmt.Sprint(v)}},
									Cost:     "1.00",
									Quantity: 1,
								},
							)
						}
						for i := range l.images {
							listing.Pictures = append(
								listing.Pictures, sandbox.Picture{URL: fmt.Sprintf("https://images.test/%d.png", i)},
							)
						}
						listing.Shipping = []sandbox.Shipping{
							{CountryGroup: "NL", FixedCosts: "1.00", VariableCosts: "0.10", Days: 2},
						}
						m.Add(sandbox.Publication{Listing: listing})
					}
					var reports []marketplace.Report
					for _, e := range enumerate(t, c, marketplace.UpdatedAtAsc) {
						if _, err := next(t, c, e.ID, 0); err != nil {
							t.Fatal(err)
						}
						reports = append(
							reports,
							marketplace.Report{ID: e.ID, Status: "success", URL: "https://shop.test/" + e.ID},
						)
						if len(reports) < 3 {
							continue
						}
						sent, err := c.LookAndReport(
							t.Context(), marketplace.Urgent, reports,
							func(marketplace.Report, *marketplace.Entry) bool { return true },
						)
						switch {
						case err != nil:
							t.Fatalf("%d sent, %v; err: got %v, want nil", len(sent), err, err)
						case len(sent) != len(reports):
							t.Fatalf("%d sent, %v; len(sent): got %v, want %v", len(sent), err, len(sent), len(reports))
						}
						reports = nil
					}
					for _, r := range m.Requests() {
						switch {
						case r.Throttled:
							t.Errorf("refused: %+v; r.Throttled: got true, want false", r)
						case r.Errors > 0:
							t.Errorf("refused: %+v; r.Errors: got %v, want at most %v", r, r.Errors, 0)
						}
					}
					floor := count * (market.listed + market.rest + market.variant*float64(l.variants) + market.image*
						float64(l.images))
					ratio := c.Stats().Cost / floor
					t.Logf("%g points, %.3f of the floor", c.Stats().Cost, ratio)
					switch {
					case ratio > 1.04:
						t.Errorf("%.3f of the floor, want at most 1.04; ratio: got %v, want at most %v", ratio, ratio, 1.04)
					case ratio < 1:
						t.Errorf("%.3f of the floor, want at most 1.04; ratio: got %v, want at least %v", ratio, ratio, 1)
					}
				})
			})
		}
	}
}
