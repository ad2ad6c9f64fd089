// How an entry becomes a product of the http protocol.

package main_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestTheBodyOfAProduct(t *testing.T) {
	s := open(t, sandbox.Options{})
	l := lamp(1)
	l.Variants[1].Quantity, l.Variants[1].Policy = -4, "CONTINUE"
	l.Variants[0].EAN = "4006381333931"
	l.Texts["en"] = sandbox.Text{Title: "Lamp <1>", Description: `<p onclick="x()">Light<script>alert(1)</script></p>`}
	id := s.add(l)
	p, _ := s.market.Publication(id)
	s.imported()
	put := s.shop.puts(id)[0]
	if put.Auth != "Bearer "+shopToken {
		t.Errorf("Authorization: %s", put.Auth)
	}
	got := put.Sent
	want := product{
		ID: id, ListingID: p.Listing.ID, ProductID: p.Listing.ProductID, Language: "en", Title: got.Title,
		Description: got.Description,
		Translations: map[string]translated{
			"en": {
				Title:       got.Title,
				Description: got.Description,
			}, "nl": {Title: "Lamp 1 (nl)", Description: "<p>Geeft <b>licht</b>.</p>"},
		},
		Category: got.Category, Options: []string{"Color"},
		Variants: []variant{
			{
				ID: p.Listing.Variants[0].ID, Title: "Red", SKU: "L1-R", EAN: "4006381333931", Options: []option{{"Color", "Red"}},
				Price: "20.00", Cost: "10.00",
				MSRP: "20.00", Quantity: 12,
			},
			{
				ID: p.Listing.Variants[1].ID, Title: "Blue", SKU: "L1-B", Options: []option{{"Color", "Blue"}}, Price: "20.00",
				Cost: "10.00", MSRP: "20.00",
				Backorders: true,
			},
		},
		Images: got.Images,
		Shipping: []sending{
			{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
		}, Returns: "true",
		UpdatedAt: got.UpdatedAt, Changed: got.Changed,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the product (-want +got):\n%s", diff)
	}
	if got.Category.Path != l.Category || len(got.Images) != 2 || got.UpdatedAt == "" {
		t.Errorf("category %+v, images %v, updatedAt %q", got.Category, got.Images, got.UpdatedAt)
	}
	if strings.Contains(got.Description, "script") || strings.Contains(got.Description, "onclick") ||
		!strings.Contains(got.Description, "Light") {
		t.Errorf("the description is not sanitised: %s", got.Description)
	}
	if !strings.Contains(got.Title, "Lamp") {
		t.Errorf("the title is %q", got.Title)
	}
}
