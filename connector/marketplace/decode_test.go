package marketplace

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// A server that names a list twice means the second: nothing of a variant comes from another one.
func TestAListNamedTwiceMixesNoVariants(t *testing.T) {
	const (
		first = `[{"id":"a","dropshippingPrice":"1.00","msrp":"2.00","inventoryQuantity":7,` +
			`"options":[{"name":"x","value":"y"}]}]`
		second = `[{"id":"b","dropshippingPrice":"5.00","options":[{"name":"z"}]}]`
	)
	want := Variant{ID: "b", Cost: "5.00", Options: []Option{{Name: "z"}}}
	for _, variants := range []string{
		`"variants":{"nodes":` + first + `,"nodes":` + second + `}`,
		`"variants":{"nodes":` + first + `},"variants":{"nodes":` + second + `}`,
	} {
		w, err := decode(raw(`{"publication":{"listing":{` + variants + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		items := w.Listing.Variants.Items()
		if len(items) != 1 {
			t.Fatalf("got %d variants of %s, want 1", len(items), variants)
		}
		if diff := cmp.Diff(want, items[0].variant()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", variants, diff)
		}
	}
}
