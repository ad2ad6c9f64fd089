package shopify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopify"
)

// revoke takes scopes away from the app.
func (f *fakeShop) revoke(scopes ...string) {
	f.scopes = slices.DeleteFunc(slices.Clone(f.scopes), func(s string) bool { return slices.Contains(scopes, s) })
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
			says: "write_publications",
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
		{
			name: "prices without taxes, and no percentage", shop: func(f *fakeShop) { f.taxesOnTop = true },
			says: "PUBSYNC_SHOP_PRICES=gross",
		},
		{name: "another store", settings: []string{"STORE", "lanterns"}, says: "lanterns.myshopify.com"},
		{name: "another token", settings: []string{"TOKEN", "shpat_other"}, says: "TOKEN"},
		{name: "a location by name", settings: []string{"LOCATION", "warehouse"}},
		{name: "a location by id", settings: []string{"LOCATION", locationID}},
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

func TestSettings(t *testing.T) {
	for _, row := range []struct{ name, setting, value, says string }{
		{"name", "STORE", "my-shop", ""},
		{"domain", "STORE", "My-Shop.myshopify.com", ""},
		{"address", "STORE", "https://my-shop.myshopify.com/admin", ""},
		{"back office", "STORE", "https://admin.shopify.com/store/my-shop/products", ""},
		{"domain of its own", "STORE", "www.hunter2.example", "permanent name"},
		{"no store", "STORE", "", "STORE: is required"},
	} {
		_, err := shopify.Open(shopadapter.Options{Settings: settings(row.setting, row.value)})
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: the error is %v, want %q", row.name, err, row.says)
		}
	}
}
