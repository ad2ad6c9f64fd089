package shopify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/settingtest"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

// revoke takes scopes away from the app.
func (f *fakeShop) revoke(scopes ...string) {
	f.scopes = slices.DeleteFunc(slices.Clone(f.scopes), func(s string) bool { return slices.Contains(scopes, s) })
}

// manyPlaces gives the shop more locations and sales channels than one page holds.
func manyPlaces(f *fakeShop) {
	for n := range 400 {
		f.locations = append(
			f.locations,
			object{
				"__typename": "Location",
				"id":         fmt.Sprint("gid://shopify/Location/9", n),
				"name":       fmt.Sprint("Location ", n),
			},
		)
	}
	for n := range 200 {
		f.publications = append(f.publications, object{
			"__typename": "Publication", "id": fmt.Sprint("gid://shopify/Publication/9", n), "name": fmt.Sprint("Channel ", n),
			"catalog": nil,
		})
	}
}

func TestCheck(t *testing.T) {
	annex := object{"__typename": "Location", "id": "gid://shopify/Location/2", "name": "Annex"}
	for _, tc := range []struct {
		name     string
		shop     func(*fakeShop)
		settings []string
		says     string // "" when all is well
	}{
		{name: "all is well"},
		{name: "the definition is there", shop: func(f *fakeShop) { f.defined = "id" }},
		{
			name: "scopes are lacking", shop: func(f *fakeShop) { f.revoke("write_inventory", "write_publications") },
			says: "read_inventory, write_inventory, write_publications",
		},
		{
			name: "to write products is not allowed", shop: func(f *fakeShop) { f.revoke("write_products") },
			says: "grant it read_products, write_products",
		},
		{
			name: "to publish is not allowed", shop: func(f *fakeShop) { f.revoke("write_publications") },
			says: "grant it write_publications",
		},
		{name: "who may write publications may read them", shop: func(f *fakeShop) { f.revoke("read_publications") }},
		{
			name: "to read locations is not allowed", shop: func(f *fakeShop) { f.revoke("read_locations") },
			says: "read_locations",
		},
		{name: "scopes for languages alone are lacking", shop: func(f *fakeShop) { f.revoke("read_locales") }},
		{
			name: "a version that Shopify has retired", shop: func(f *fakeShop) { f.version = "2026-10" },
			says: "install a newer pubsync",
		},
		{name: "another store", settings: []string{"STORE", "lanterns"}, says: "lanterns.myshopify.com"},
		{name: "another token", settings: []string{"TOKEN", "shpat_other"}, says: "TOKEN"},
		{name: "a location by name", settings: []string{"LOCATION", "warehouse"}},
		{name: "a location by id", settings: []string{"LOCATION", locationID}},
		{name: "a location far down", shop: manyPlaces, settings: []string{"LOCATION", "Location 399"}},
		{name: "a channel far down", shop: manyPlaces, settings: []string{"PUBLICATION", "Channel 199"}},
		{name: "a location by number", settings: []string{"LOCATION", "1"}},
		{name: "another location", settings: []string{"LOCATION", "Attic"}, says: "Warehouse"},
		{name: "no location", shop: func(f *fakeShop) { f.locations = nil }, says: "no active location"},
		{
			name: "several locations, one of them primary", shop: func(f *fakeShop) { f.locations = append(f.locations, annex) },
		},
		{
			name: "several locations, none of them primary",
			shop: func(f *fakeShop) { f.locations, f.primary = append(f.locations, annex), "" }, says: "Warehouse, Annex",
		},
		{name: "one location, not primary", shop: func(f *fakeShop) { f.primary = "" }},
		{name: "a channel by name", settings: []string{"PUBLICATION", "point of sale"}},
		{name: "another channel", settings: []string{"PUBLICATION", "Marketplace"}, says: "Point of Sale, Webshop"},
		{name: "no online store", shop: func(f *fakeShop) { f.publications = f.publications[:1] }, says: "Point of " +
			"Sale"},
		{name: "no channel", shop: func(f *fakeShop) { f.publications = nil }, says: "no sales channel"},
		{name: "a definition of another type", shop: func(f *fakeShop) { f.defined = "json" }, says: "json instead " +
			"of id"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			if tc.shop != nil {
				tc.shop(fake)
			}
			before := fake.defined
			a := fake.open(t, tc.settings...)
			_, err := a.Check(t.Context())
			if fake.defined != before || len(fake.products) > 0 {
				t.Error("the check changed the shop")
			}
			if tc.says == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
				!strings.Contains(e.Message, tc.says) {
				t.Errorf("the error is %v, want %q", err, tc.says)
			}
		})
	}
}

func TestACheckThatFindsTheShopMendedIsBelieved(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	ref, _ := publish(t, a, shopadapter.Ref{}, lamp("p", 1), shopadapter.AllFields)
	moved := "gid://shopify/Location/2"
	fake.locations, fake.primary = []object{{"__typename": "Location", "id": moved, "name": "New"}}, moved
	if _, err := a.Publish(t.Context(), ref, lamp("p", 1), shopadapter.FieldStock); err == nil {
		t.Fatal("stock was written to a location that is gone")
	}
	fake.products[0].variants[0].levels = map[string]int{moved: 0} // the merchant stocks it there
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	publish(t, a, ref, lamp("p", 1), shopadapter.FieldStock)
	if n := fake.sole(t).variants[0].levels[moved]; n != 12 {
		t.Errorf("the stock is %d", n)
	}
}

func TestSettings(t *testing.T) {
	settingtest.Run(t, func(setting, value string) error {
		_, err := shopify.Open(shopadapter.Options{Settings: settings(setting, value)})
		return err
	}, []settingtest.Row{
		{"name", "STORE", "my-shop", ""},
		{"domain", "STORE", "My-Shop.myshopify.com", ""},
		{"address", "STORE", "https://my-shop.myshopify.com/admin", ""},
		{"back office", "STORE", "https://admin.shopify.com/store/my-shop/products", ""},
		{"domain of its own", "STORE", "www.hunter2.example", "permanent name"},
		{"no store", "STORE", "", "STORE: is required"},
		{"no token", "TOKEN", "", "TOKEN: is required"},
		{"token with a line break", "TOKEN", "hunter2\n", "visible ASCII"},
		{"origin", "URL", "http://127.0.0.1:8080", ""},
		{"origin with a path", "URL", "http://127.0.0.1:8080/hunter2", "without a path"},
		{"origin with a user name", "URL", "http://me:hunter2@127.0.0.1", "user name"},
		{"no origin", "URL", "hunter2", "absolute http"},
	})
}

// The currency is the store's own, and to ask for it changes nothing in the store.
func TestCurrency(t *testing.T) {
	fake := newFakeShop(t)
	fake.currency = "CAD"
	if got, err := fake.open(t).Check(t.Context()); err != nil || got.Currency != "CAD" || fake.defined != "" {
		t.Errorf("%q, %v, the definition is %q", got.Currency, err, fake.defined)
	}
	fake.token = "shpat_another"
	if got, err := fake.open(t).Check(t.Context()); shopadapter.Explain(err) == nil ||
		shopadapter.Explain(err).Kind != shopadapter.Blocked || got.Currency != "" {
		t.Errorf("with a token that is not the store's: %q, %v", got.Currency, err)
	}
}
