package marketplace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// A field that is not essential and has another shape costs itself; one that is essential costs the
// reading.
func TestFieldsOfAnotherShape(t *testing.T) {
	const (
		shipping = `"dropshippingShippingDetails":[{"countryGroup":"NL","fixedCosts":"4.95"}]`
		category = `"category":{"path":"GARDEN_TOOLS","name":"Tools"}`
		returns  = `"dropshippingReturns":true`
		ean      = `"ean":"8712345678906"`
		images   = `"images":{"nodes":[{"transformedUrl":"i1"},{"transformedUrl":"i2"}],"pageInfo":{"hasNextPage":false}}`
		text     = `"description":"<p>x</p>"`
		body     = `{"publication":{"status":"syncing","updatedAt":"u","listing":{"id":"l",` +
			`"translations":{"en":{"title":"Rake",` + text + `}},"product":{"id":"p"},` +
			`"variants":{"nodes":[{"id":"v","sku":"S","dropshippingPrice":"1.00","inventoryQuantity":5,` + ean +
			`}],"pageInfo":{"hasNextPage":false}},` +
			shipping + `,` + category + `,` + returns + `,` + images + `}}}`
	)
	nl := Shipping{CountryGroup: "NL", FixedCosts: "4.95"}
	for _, tt := range []struct {
		from, to string
		unread   string
		change   func(*Listing) // of what is read
	}{
		{"", "", "", nil},
		{shipping, `"dropshippingShippingDetails":null`, "", func(l *Listing) { l.Shipping = nil }},
		{shipping, `"dropshippingShippingDetails":{"countryGroup":"NL","fixedCosts":4.95}`, "", nil},
		{shipping, `"dropshippingShippingDetails":"free"`, "shipping", func(l *Listing) { l.Shipping = nil }},
		{shipping, `"dropshippingShippingDetails":7`, "shipping", func(l *Listing) { l.Shipping = nil }},
		{
			shipping, `"dropshippingShippingDetails":{"NL":{"fixedCosts":"4.95"}}`, "shipping",
			func(l *Listing) { l.Shipping = nil },
		},
		{shipping, `"dropshippingShippingDetails":[null,{"countryGroup":"NL","fixedCosts":"4.95"},"free"]`, "shipping", nil},
		{
			shipping, `"dropshippingShippingDetails":[{"countryGroup":"NL","fixedCosts":{"amount":"4.95"}}]`, "shipping",
			func(l *Listing) { l.Shipping = nil },
		},
		{category, `"category":null`, "", func(l *Listing) { l.Category = Category{} }},
		{category, `"category":"GARDEN_TOOLS"`, "category", func(l *Listing) { l.Category = Category{} }},
		{category, `"category":[{"path":"GARDEN_TOOLS"}]`, "category", func(l *Listing) { l.Category = Category{} }},
		{category, `"category":{"path":["GARDEN"],"name":"Tools"}`, "category", func(l *Listing) { l.Category = Category{} }},
		{category, `"category":{}`, "category", func(l *Listing) { l.Category = Category{} }},
		{returns, `"dropshippingReturns":{"days":14}`, "returns", func(l *Listing) { l.Returns = "" }},
		{returns, `"dropshippingReturns":14`, "", func(l *Listing) { l.Returns = "14" }},
		{ean, `"ean":8712345678906`, "", nil},
		{ean, `"ean":["8712345678906"]`, "ean", func(l *Listing) { l.Variants[0].EAN = "" }},
		{images, `"images":null`, "", func(l *Listing) { l.Images = nil }},
		{images, `"images":["i1"]`, "images", func(l *Listing) { l.Images = nil }},
		{images, `"images":"i1"`, "images", func(l *Listing) { l.Images = nil }},
		{images, `"images":{"items":[]}`, "images", func(l *Listing) { l.Images = nil }},
		{images, `"images":{"nodes":["i1"],"pageInfo":{"hasNextPage":false}}`, "images", func(l *Listing) { l.Images = nil }},
		{
			images, `"images":{"nodes":[{"transformedUrl":"i1"},null],"pageInfo":{"hasNextPage":false}}`, "images",
			func(l *Listing) { l.Images = l.Images[:1] },
		},
		{
			images, `"images":{"nodes":[{"transformedUrl":{"url":"i1"}}],"pageInfo":{"hasNextPage":false}}`, "images",
			func(l *Listing) { l.Images = nil },
		},
		{text, `"description":["x"]`, "costs the reading", nil},
		{`"product":{"id":"p"}`, `"product":"p"`, "", func(l *Listing) { l.ProductID = "" }},
		{`"title":"Rake"`, `"title":{"text":"Rake"}`, "costs the reading", nil},
		{`"inventoryQuantity":5`, `"inventoryQuantity":{"units":5}`, "costs the reading", nil},
		{`"dropshippingPrice":"1.00"`, `"dropshippingPrice":{"amount":"1.00"}`, "costs the reading", nil},
		{`"id":"v"`, `"id":["v"]`, "costs the reading", nil},
		{`"sku":"S"`, `"sku":{}`, "costs the reading", nil},
	} {
		t.Run(fmt.Sprintf("%.60s", tt.to), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, always(200, data(strings.Replace(body, tt.from, tt.to, 1))))
				a, err := c.Admit(t.Context(), News)
				if err != nil {
					t.Fatal(err)
				}
				p, err := c.Publication(t.Context(), a, Expected{ID: "p1"})
				if tt.unread == "costs the reading" {
					if KindOf(err) != Transient || err == nil {
						t.Errorf("%+v, %v, want an error that time mends", p, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				five := 5
				want := &Listing{
					ID: "l", ProductID: "p", Translations: map[string]Translation{
						"en": {Title: "Rake", Description: "<p>x</p>"},
					}, Shipping: []Shipping{nl}, Returns: "true",
					Category: Category{Path: "GARDEN_TOOLS", Name: "Tools"}, Images: []string{"i1", "i2"},
					Variants: []Variant{{ID: "v", SKU: "S", Cost: "1.00", EAN: "8712345678906", Quantity: &five}},
				}
				if tt.change != nil {
					tt.change(want)
				}
				if tt.unread != "" {
					want.Unread = []string{tt.unread}
				}
				if diff := cmp.Diff(want, p.Listing); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// What an answer leaves out of the product without a word of an error is unread: the shop keeps it.
func TestDetailsThatAreLeftOut(t *testing.T) {
	const (
		end      = `"pageInfo":{"hasNextPage":false}`
		nodes    = `"nodes":[{"sku":"S","tags":["NEW"]},{"sku":"T"}]`
		variants = `"variants":{` + nodes + `,` + end + `}`
		product  = `{"id":"p","weight":"1.00",` + variants + `}`
		body     = `{"publication":{"updatedAt":"u","listing":{"variants":{"nodes":[{"id":"v","sku":"S"}],` + end +
			`},"product":` + product + `}}}`
	)
	for from, to := range map[string]string{
		product: `null`, variants: `"variants":null`, nodes: `"nodes":null`, `{"sku":"T"}`: `null`,
		nodes + `,` + end: nodes + `,"pageInfo":{"hasNextPage":true}`, `"1.00"`: `{"value":"1"}`,
		`"u"`: `"u"`,
	} {
		t.Run(to, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, always(200, data(strings.Replace(body, from, to, 1))))
				c.o.Details = true
				p, err := read1(t, c, 0)
				if err != nil {
					t.Fatal(err)
				}
				unread := slices.Contains(p.Listing.Unread, UnreadDetails)
				if unread != (from != to) || len(p.Listing.Variants) != 1 {
					t.Errorf("got %+v, want one variant, and details unread: %t", p.Listing, from != to)
				}
			})
		})
	}
}

// An entry of a list with a field of another shape costs itself: without an id it may be any publication.
func TestEntriesOfAnotherShape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := known(t, always(200, data(`{"publications":{"nodes":[{"id":"a","updatedAt":"u","status":"SUCCESS"},`+
			`{"id":{"x":1},"updatedAt":"u"},"odd",{"id":"b","updatedAt":"u","status":["s"]},{"id":"c","updatedAt":{}}],`+
			`"pageInfo":{"hasNextPage":false}}}`)))
		page, err := c.List(t.Context(), Sweep, IDDesc, "")
		want := []Entry{{ID: "a", UpdatedAt: "u", Status: "success"}, {ID: "b", UpdatedAt: "u"}}
		if diff := cmp.Diff(want, page.Entries); diff != "" || err != nil || page.Nameless != 2 ||
			!slices.Equal(page.Undated, []string{"c"}) {
			t.Errorf("got %+v, %v, want two entries, two without an id, and one without updatedAt", page, err)
		}
	})
}
