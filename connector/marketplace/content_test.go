package marketplace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// read reads publication p1 with an admission of its own.
func read1(t *testing.T, c *Client, expect int) (*Publication, error) {
	t.Helper()
	adm, err := c.Admit(t.Context(), News)
	if err != nil {
		t.Fatalf("admit: %v", err)
	}
	return c.Publication(t.Context(), adm, Expected{ID: "p1", Variants: expect, Details: true})
}

const noPages = `"variants":{"nodes":[],"pageInfo":{"hasNextPage":false}},"images":{"nodes":[],` +
	`"pageInfo":{"hasNextPage":false}}`

func ptr(n int) *int { return &n }

func TestScalarsAreReadAsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := known(t, always(200, data(
			`{"publication":{"status":"SYNCING","productUrl":null,"createdAt":"c","updatedAt":"2026-01-01T00:00:00.123456Z",
			"listing":{"id":12345678901234567890,"dropshippingReturns":true,
			"translations":{"en":{"title":"Bench & co","description":"<p>x</p>"},"nl":null},
			"category":{"path":"GARDEN_BENCHES","name":"Benches"},"product":{"id":"prod"},
			"dropshippingShippingDetails":[{"countryGroup":"NL","fixedCosts":"4.50","variableCosts":0.10,
				"estimatedShippingDays":3},
				{"countryGroup":"BE","fixedCosts":1e2,"variableCosts":null,"estimatedShippingDays":"2-4"}],
			"variants":{"edges":[
				{"node":{"id":1,"title":"Red","options":[{"name":"Color","value":"Red"}],"dropshippingPrice":10.10,
					"msrp":"19.950000000000000001",
					"sku":"A","ean":8712345678906,"inventoryQuantity":-3,"inventoryPolicy":"continue"}},
				{"node":{"id":"2","title":null,"options":null,"dropshippingPrice":null,"msrp":null,"sku":null,"ean":null,
					"inventoryQuantity":null,
					"inventoryPolicy":null}},
				{"node":{"id":"3","inventoryQuantity":0}},{"node":{"id":"4","inventoryQuantity":"17"}},
				{"node":{"id":"5","inventoryQuantity":2.7}},{"node":{"id":"6","inventoryQuantity":"many"}},
				{"node":{"id":"6","title":"again"}},{"node":null}],"pageInfo":{"hasNextPage":false,"endCursor":null}},
			"images":{"nodes":[{"transformedUrl":"https://img.test/1.png"},{"transformedUrl":null}],
				"pageInfo":{"hasNextPage":false}}}}}`,
		)))
		got, err := read1(t, c, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := &Publication{
			ID: "p1", Languages: []string{"en", "nl"}, Status: "syncing", UpdatedAt: "2026-01-01T00:00:00.123456Z",
			Listing: &Listing{
				ID: "12345678901234567890", ProductID: "prod", Returns: "true",
				Translations: map[string]Translation{"en": {Title: "Bench & co", Description: "<p>x</p>"}},
				Category:     Category{Path: "GARDEN_BENCHES", Name: "Benches"},
				Shipping: []Shipping{
					{CountryGroup: "NL", FixedCosts: "4.50", VariableCosts: "0.10", EstimatedDays: "3"},
					{CountryGroup: "BE", FixedCosts: "1e2", EstimatedDays: "2-4"},
				},
				Variants: []Variant{
					{
						ID: "1", Title: "Red", Options: []Option{{"Color", "Red"}}, Cost: "10.10",
						MSRP: "19.950000000000000001", SKU: "A", EAN: "8712345678906", Quantity: ptr(-3), Policy: "CONTINUE",
					},
					{ID: "2"},
					{ID: "3", Quantity: ptr(0)},
					{ID: "4", Quantity: ptr(17)},
					{ID: "5", Quantity: ptr(2)},
					{ID: "6"},
				},
				Images: []string{"https://img.test/1.png"},
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPublicationThatIsNotThere(t *testing.T) {
	for _, row := range []struct {
		name, body string
		want       *Publication
		kind       Kind
		fails      bool
	}{
		{name: "gone", body: data(`{"publication":null}`)},
		{
			name: "without a listing", body: data(`{"publication":{"updatedAt":"u","listing":null}}`),
			want: &Publication{ID: "p1", UpdatedAt: "u", Languages: []string{"en", "nl"}},
		},
		{
			name: "with null connections", body: data(
				`{"publication":{"updatedAt":"u","listing":{"variants":null,"images":null}}}`,
			),
			want: &Publication{
				ID: "p1", UpdatedAt: "u", Languages: []string{"en", "nl"},
				Listing: &Listing{Translations: map[string]Translation{}},
			},
		},
		{
			name: "null beside an error",
			body: `{"data":{"publication":null},"errors":[{"message":"Boom","path":["publication"]}]}`, fails: true,
		},
		{
			name:  "an error within",
			body:  `{"data":{"publication":{"updatedAt":"u","listing":{` + noPages + `}}},"errors":[{"message":"Boom"}]}`,
			fails: true,
		},
		{name: "without updatedAt", body: data(`{"publication":{"listing":null}}`), fails: true},
		{name: "of another shape", body: data(`{"publication":[]}`), fails: true},
		{
			name: "a page that repeats its cursor",
			body: data(`{"publication":{"updatedAt":"u","listing":{"variants":{"nodes":[],` +
				`"pageInfo":{"hasNextPage":true,"endCursor":"x"}}}}}`),
			fails: true,
		},
		{
			name:  "more variants, nobody knows where",
			body:  data(`{"publication":{"updatedAt":"u","listing":{"variants":{"nodes":[],"pageInfo":{"hasNextPage":true}}}}}`),
			fails: true,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, always(200, row.body))
				got, err := read1(t, c, 0)
				if (err != nil) != row.fails || KindOf(err) != row.kind {
					t.Fatalf("error %v", err)
				}
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// pager serves a publication in pages of one variant and one image, and may change it on the way.
func pager(variants, images int, updatedAt func(request int) string) *fakeWire {
	return &fakeWire{answer: func(n int, s sent) (int, string) {
		connection := func(name, item string, total int) string {
			_, more, asked := strings.Cut(s.Query, name+"(first:")
			if !asked {
				return ""
			}
			at := 0
			if _, cursor, behind := strings.Cut(more[:strings.Index(more, ")")], `after:"`); behind {
				fmt.Sscan(cursor, &at)
			}
			return fmt.Sprintf(`,%q:{"nodes":[%s],"pageInfo":{"hasNextPage":%v,"endCursor":"%d"}}`,
				name, fmt.Sprintf(item, at), at+1 < total, at+1)
		}
		listing := `"id":"l"` + connection("variants", `{"id":"v%d"}`, variants) +
			connection("images", `{"transformedUrl":"i%d"}`, images)
		return 200, data(fmt.Sprintf(`{"publication":{"updatedAt":%q,"listing":{%s}}}`, updatedAt(n), listing))
	}}
}

func TestPublicationThatMovesIsReadAgain(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := pager(3, 1, func(n int) string { return map[bool]string{true: "old", false: "new"}[n < 2] })
			p, err := read1(t, known(t, w), 0)
			if err != nil || p.UpdatedAt != "new" || len(p.Listing.Variants) != 3 {
				t.Fatalf("%+v, %v", p, err)
			}
			want := []string{"Content", "MoreContent", "Content", "MoreContent", "MoreContent"}
			if diff := cmp.Diff(want, w.operations()); diff != "" {
				t.Error(diff)
			}
		})
	})
	t.Run("always", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := pager(3, 1, func(n int) string { return fmt.Sprint(n) })
			_, err := read1(t, known(t, w), 0)
			if err == nil || KindOf(err) != Transient {
				t.Fatalf("%v", err)
			}
			if got := len(w.operations()); got != 8 {
				t.Errorf("%d requests, want 8: four starts of two pages", got)
			}
		})
	})
}
