package vendure_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

// detailed is a lamp with all details, after the supplier's n-th change of them.
func detailed(variants, n int) shopadapter.Product {
	return laws.WithDetails(lamp("p", variants), n)
}

// Details go to the fields that the owner has declared, as they are declared, and to no other.
func TestDeclaredFields(t *testing.T) {
	t.Parallel()
	whole := map[string]any{
		"ean": detailed(1, 0).Variants[0].EAN, "weight": 1050.0, "length": 20.5, "width": 10.0, "height": 40.0,
		"diameter": 12.0, "volume": "0.1", "origin": "NL", "leadTime": "DAYS_3", "tags": []any{"ECO", "SEASON_0"},
		"materials": []any{"STEEL", "LINEN_0"}, "caseQuantity": 6.0,
	}
	without := func(changes map[string]any, names ...string) map[string]any {
		m := maps.Clone(whole)
		maps.Copy(m, changes)
		maps.DeleteFunc(m, func(name string, _ any) bool { return slices.Contains(names, name) })
		return m
	}
	for name, row := range map[string]struct {
		edit func(sdl string) string
		want map[string]any
	}{
		"all of them": {func(sdl string) string { return sdl }, whole},
		"without a note": {
			func(sdl string) string { return strings.ReplaceAll(sdl, "  pubsyncStamp: String\n  ean", "  ean") }, nil,
		},
		"without one of them": {
			func(sdl string) string { return strings.ReplaceAll(sdl, "  origin: String\n", "") }, without(nil, "origin"),
		},
		"by other names": {
			func(sdl string) string {
				return strings.NewReplacer("  ean: ", "  barcode: ", "  materials: [String!]", "  material: String").Replace(sdl)
			},
			without(map[string]any{"barcode": whole["ean"], "material": "STEEL, LINEN_0"}, "ean", "materials"),
		},
		"whole numbers": {
			func(sdl string) string { return strings.ReplaceAll(sdl, "  length: Float", "  length: Int") },
			without(map[string]any{"length": 21.0}),
		},
		"numbers as texts": {
			func(sdl string) string { return strings.ReplaceAll(sdl, "  weight: Float", "  weight: String") },
			without(map[string]any{"weight": "1050"}),
		},
		"a switch": {
			func(sdl string) string { return strings.ReplaceAll(sdl, "  volume: String", "  volume: Boolean") },
			without(nil, "volume"),
		},
		"read-only": {
			func(sdl string) string {
				before, inputs, _ := strings.Cut(sdl, "input CreateProductVariantCustomFieldsInput")
				return before + "input CreateProductVariantCustomFieldsInput" + strings.ReplaceAll(inputs, "  width: Float\n", "")
			},
			without(nil, "width"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake := newFakeShopWith(t, row.edit)
			publish(t, fake.open(t), detailed(1, 0), shopadapter.AllFields)
			got := maps.Clone(fake.products[0].variants[0].custom)
			delete(got, "pubsyncStamp")
			if diff := cmp.Diff(row.want, got, emptyAsNone); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

// emptyAsNone has no fields and none that was made compare as equal.
var emptyAsNone = cmp.Transformer("none", func(m map[string]any) map[string]any {
	if len(m) == 0 {
		return nil
	}
	return m
})

// A variant of which the shop refuses a detail is sold without its details.
func TestRefusedDetail(t *testing.T) {
	t.Parallel()
	fake := newFakeShop(t)
	p := detailed(2, 0)
	p.Variants[0].LeadTime = refusedDetail
	if l := publish(t, fake.open(t), p, shopadapter.AllFields); len(l.Refused) > 0 {
		t.Errorf("refused: got %v, want none", l.Refused)
	}
	for i, want := range []string{"", "1150"} {
		v := only(t, fake).Variants[i]
		if got := string(v.CustomFields.Weight); got != want {
			t.Errorf("weight of variant %d: got %q, want %q", i, got, want)
		}
	}
	p.Variants[0].LeadTime = "DAYS_3"
	publish(t, fake.open(t), p, shopadapter.FieldDetails)
	if got := string(only(t, fake).Variants[0].CustomFields.Weight); got != "1050" {
		t.Errorf("weight after the supplier's change: got %q, want 1050", got)
	}
	p.Variants[0].LeadTime, p.Variants[0].Weight = refusedDetail, "3"
	p.Variants[0].SKU = "ANOTHER"
	publish(t, fake.open(t), p, shopadapter.AllFields)
	if got := only(t, fake).Variants[0]; got.SKU != "ANOTHER" || got.CustomFields.Weight != "1050" {
		t.Errorf("got SKU %s and weight %s, want ANOTHER and 1050", got.SKU, got.CustomFields.Weight)
	}
}

// The merchant's own facet of brands, and the values of it, are used.
func TestBrandOfTheMerchants(t *testing.T) {
	t.Parallel()
	fake := newFakeShop(t)
	fake.facets = []*fakeFacet{
		{id: "900", code: "brand", values: []*fakeValue{{id: "901", code: "the-bright-ones", name: "BRIGHTSIDE 0"}}},
		{
			id:     "910",
			code:   "brand-stores",
			values: []*fakeValue{{id: "911", code: "brightside-0", name: "Brightside 0"}},
		},
	}
	l := publish(t, fake.open(t), detailed(1, 0), shopadapter.AllFields)
	codes := func() (list []string) {
		for _, v := range only(t, fake).FacetValues {
			list = append(list, v.Facet.Code+"="+v.Name)
		}
		slices.Sort(list)
		return list
	}
	category := "pubsync-category=" + detailed(1, 0).Category.Trail(" / ")
	if diff := cmp.Diff([]string{"brand=BRIGHTSIDE 0", category}, codes()); diff != "" {
		t.Errorf("facet values (-want +got):\n%s", diff)
	}
	mine := map[string]any{"facetValueIds": []string{"911", "901"}}
	if err := fake.office().Update(t.Context(), l.ID, mine); err != nil {
		t.Fatal(err)
	}
	if l := publish(t, fake.open(t), detailed(1, 1), shopadapter.FieldBrand); l.Kept != 0 {
		t.Errorf("kept: got %s, want none", l.Kept)
	}
	if diff := cmp.Diff([]string{"brand-stores=Brightside 0", "brand=Brightside 1"}, codes()); diff != "" {
		t.Errorf("after a change of the brand (-want +got):\n%s", diff)
	}
}

// Whichever answer is lost: what the adapter wrote is never taken for the merchant's.
func TestLostAnswersLeaveDetailsOurs(t *testing.T) {
	t.Parallel()
	for k := 1; ; k++ {
		fake := newFakeShop(t)
		publish(t, fake.open(t), detailed(2, 0), shopadapter.AllFields)
		lossy := &lossy{next: fake, left: k}
		a, err := shopadapter.Open("vendure", shopadapter.Options{
			Settings: settings(), HTTPClient: &http.Client{Transport: lossy},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Publish(t.Context(), shopadapter.Ref{Publication: "p"}, detailed(2, 1), shopadapter.AllFields)
		if lossy.left > 0 {
			if k < 6 {
				t.Errorf("a change takes %d requests", k-1)
			}
			return
		}
		if err == nil {
			t.Errorf("answer %d lost: no error", k)
		}
		if l := publish(t, fake.open(t), detailed(2, 2), shopadapter.AllFields); l.Kept != 0 {
			t.Errorf("answer %d lost: kept %s, want none", k, l.Kept)
		}
		if got := only(t, fake).Variants[1].CustomFields.Origin; got != "DE" {
			t.Errorf("answer %d lost: the origin is %q, want DE", k, got)
		}
	}
}

// A lossy transport loses the answer to the request with which left becomes 0.
type lossy struct {
	next http.RoundTripper
	left int
}

func (l *lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if l.left--; l.left == 0 {
		return respond(http.StatusBadGateway, "text/html", "lost", nil), nil
	}
	return response, err
}

// Nothing is written where nothing differs, whatever form the numbers have.
func TestDetailsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	fake := newFakeShopWith(
		t,
		func(sdl string) string { return strings.ReplaceAll(sdl, "  length: Float", "  length: Int") },
	)
	p := detailed(2, 0)
	p.Variants[0].Weight, p.Variants[0].Length = "12345.6789", "20.50"
	publish(t, fake.open(t), p, shopadapter.AllFields)
	fake.took()
	publish(t, fake.open(t), p, shopadapter.AllFields)
	if diff := cmp.Diff([]string{"Login", "ReadProduct", "ReadDetails", "FindFacetValue"}, fake.took()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// The units are the merchant's to name.
func TestUnits(t *testing.T) {
	t.Parallel()
	fake := newFakeShop(t)
	publish(t, fake.open(t, "WEIGHT_UNIT", "kg", "DIMENSION_UNIT", "mm"), detailed(1, 0), shopadapter.AllFields)
	want := vendureserver.Details{Weight: "1.05", Length: "205"}
	got := only(t, fake).Variants[0].CustomFields.Details
	if got.Weight != want.Weight || got.Length != want.Length {
		t.Errorf("got weight %s and length %s, want %s and %s", got.Weight, got.Length, want.Weight, want.Length)
	}
}
