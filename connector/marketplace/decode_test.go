package marketplace

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
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

// FuzzDecode holds that no figure is made up: what is read of a variant, or of what shipping costs,
// stands digit by digit in one object of the answer.
func FuzzDecode(f *testing.F) {
	in := func(listing string) string { return `{"publication":{"listing":{` + listing + `}}}` }
	for _, body := range []string{
		contentAnswer(),
		in(`"variants":{"nodes":[null,{"id":1,"inventoryQuantity":"-3.5","options":[null,{"name":"a"}]}]}`),
		in(`"variants":{"edges":[{"node":{"id":"v","dropshippingPrice":10.10,"MSRP":1E400}}]}`),
		in(`"variants":{"nodes":[{"id":"a","msrp":1}],"nodes":[{"id":"b"}]}`),
		in(`"variants":{"nodes":[{"id":"a","msrp":1,"msrp":"2","ean":[3],"sku":true}]}`),
		in(`"variants":{"nodes":[{"id":"\ud83d\u00e9","dropshippingPrice":12345678901234567890.123456789}]}`),
		in(`"dropshippingShippingDetails":[{"fixedCosts":4.50,"variableCosts":null},7]`),
		in(`"dropshippingShippingDetails":{"countryGroup":"NL","fixedCosts":"4.5"}`),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := decode(data)
		if err != nil || w == nil || w.Listing == nil {
			return
		}
		sent := objects(t, data)
		holds := func(what any, texts []wire.Scalar, units wire.Quantity) {
			if !slices.ContainsFunc(sent, func(o values) bool { return o.holds(texts, units) }) {
				t.Errorf("got %+v of %q, want what stands in one object of it", what, data)
			}
		}
		if w.Listing.Variants != nil {
			for _, v := range w.Listing.Variants.Items() {
				holds(v, []wire.Scalar{v.ID, v.Title, v.Cost, v.MSRP, v.SKU, v.EAN.Value, v.Policy}, v.Quantity)
			}
		}
		for _, s := range w.Listing.Shipping.Items {
			holds(s, []wire.Scalar{s.CountryGroup, s.FixedCosts, s.VariableCosts, s.EstimatedDays}, wire.Quantity{})
		}
	})
}

// values are the texts of an object's own values that are neither objects nor lists.
type values []string

func (o values) holds(texts []wire.Scalar, units wire.Quantity) bool {
	for _, text := range texts {
		if text != "" && !slices.Contains(o, string(text)) {
			return false
		}
	}
	return !units.Set || slices.ContainsFunc(o, func(text string) bool {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return err == nil && math.Floor(x) == float64(units.Value)
	})
}

// objects are the values of each object in data, by the tokens that stand there.
func objects(t *testing.T, data []byte) []values {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all []values
	var inside []int // objects, by their place in all; lists have one too, of which nothing is asked
	add := func(text string) {
		if len(inside) > 0 {
			i := inside[len(inside)-1]
			all[i] = append(all[i], wire.Cut(text))
		}
	}
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				inside, all = append(inside, len(all)), append(all, nil)
			} else {
				inside = inside[:len(inside)-1]
			}
		case json.Number:
			add(v.String())
		case string:
			add(v)
		case bool:
			add(strconv.FormatBool(v))
		}
	}
}
