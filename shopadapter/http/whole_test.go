package httpshop

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// A body is whole though some of the product is unknown: what was last sent stands in its place.
func TestUnknownGroupsAreSentAsBefore(t *testing.T) {
	details := shopadapter.Details{Weight: "1.5", Tags: []string{"NEW"}}
	last := shopadapter.Product{
		ID: "p1", Language: "en", Title: "Rake", Images: []string{"https://pictures.example/1.jpg"},
		Category: shopadapter.Category{
			Path: "GARDEN", Name: "Garden", Branch: []shopadapter.Level{{Path: "GARDEN", Name: "Tuin"}},
		},
		Brand:   "Earthly",
		Returns: "true", Shipping: []shopadapter.Shipping{{CountryGroup: "NL"}}, Variants: []shopadapter.Variant{
			{ID: "v1", EAN: "871", Price: "1.00", Details: details},
		},
	}
	now := shopadapter.Product{
		ID: "p1", Language: "en", Title: "Rakes", Images: []string{}, Variants: []shopadapter.Variant{
			{ID: "v1", Price: "2.00"},
		},
		Unknown: shopadapter.FieldImages | shopadapter.FieldCategory | shopadapter.FieldShipping |
			shopadapter.FieldVariants | shopadapter.FieldBrand | shopadapter.FieldDetails,
	}
	want := last
	want.Title, want.Unknown, want.Variants = "Rakes", now.Unknown, []shopadapter.Variant{
		{ID: "v1", EAN: "871", Price: "2.00", Details: details},
	}
	if diff := cmp.Diff(want, whole(now, keep(last))); diff != "" {
		t.Error(diff)
	}
	const stored = `{"i":["https://pictures.example/1.jpg"],` +
		`"c":{"path":"GARDEN","name":"Garden","branch":[{"path":"GARDEN","name":"Tuin"}]},` +
		`"s":[{"countryGroup":"NL","fixedCosts":"","variableCosts":"","estimatedDays":""}],"r":"true","n":"Earthly",` +
		`"v":{"v1":{"ean":"871","weight":"1.5","tags":["NEW"]}}}`
	if diff := cmp.Diff(want, whole(now, []byte(stored))); diff != "" {
		t.Errorf("from a store that an earlier version wrote: %s", diff)
	}
	now.Category = shopadapter.Category{Path: "GARDEN", Name: "Garden"} // its place in the tree is unknown
	for _, state := range []string{"", "null", "{}", `{"id":"p1","images":["a"],"category":{"path":"b"}}`} {
		if diff := cmp.Diff(now, whole(now, []byte(state))); diff != "" {
			t.Errorf("with %q for a state: %s", state, diff)
		}
	}
	now.Unknown = shopadapter.NoFields
	if diff := cmp.Diff(now, whole(now, keep(last))); diff != "" {
		t.Errorf("with nothing unknown: %s", diff)
	}
}
