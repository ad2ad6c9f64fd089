package medusa_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// Check names what a shop lacks, and chooses among what it has.
func TestCheck(t *testing.T) {
	warehouse := object{"id": "sloc_1", "name": "Warehouse", "sales_channels": []any{object{"id": "sc_1"}}}
	shed := object{"id": "sloc_2", "name": "Shed", "sales_channels": []any{}}
	for _, tt := range []struct {
		name     string
		settings []string
		change   func(f *fake)
		says     string // "": all is well
	}{
		{"as it is", nil, func(*fake) {}, ""},
		{"channel by name", []string{"SALES_CHANNEL", "Default Sales Channel"}, func(*fake) {}, ""},
		{"no such channel", []string{"SALES_CHANNEL", "Web"}, func(*fake) {}, "no such sales channel"},
		{"a disabled channel", nil, func(f *fake) { f.channels[0]["is_disabled"] = true }, "is disabled"},
		{"no location", nil, func(f *fake) { f.locations = []object{shed} }, "no stock location serves"},
		{"two locations", nil, func(f *fake) { f.locations = []object{warehouse, warehouse} }, "2 stock locations"},
		{
			"location by name",
			[]string{"STOCK_LOCATION", "Warehouse"},
			func(f *fake) { f.locations = []object{warehouse, shed} }, "",
		},
		{"no such location", []string{"STOCK_LOCATION", "Attic"}, func(*fake) {}, "no such stock location"},
		{
			"a location apart",
			[]string{"STOCK_LOCATION", "Shed"},
			func(f *fake) { f.locations = []object{warehouse, shed} },
			"does not serve",
		},
		{"the store's own location", nil, func(f *fake) {
			f.locations, f.store["default_location_id"] = []object{warehouse, warehouse}, "sloc_1"
		}, ""},
		{"no shipping profile", nil, func(f *fake) { f.profiles = nil }, "no shipping profile"},
		{"prices without tax", nil, func(f *fake) { f.inclusive = false }, "tax inclusive pricing"},
		{"prices without tax, and a percentage", nil, func(f *fake) { f.inclusive, f.vat = false, "21" }, ""},
		{"prices without tax, as set", []string{"PRICES", "net"}, func(f *fake) { f.inclusive, f.vat = false, "21" }, ""},
		{"prices without tax, to be paid on top", []string{"PRICES", "gross"}, func(f *fake) { f.inclusive = false }, ""},
		{"prices with tax, set otherwise", []string{"PRICES", "net"}, func(*fake) {}, "include tax"},
		{
			"a new Medusa, which lacks several things", nil,
			func(f *fake) { f.locations, f.profiles, f.inclusive = nil, nil, false }, "no stock location serves",
		},
		{"neither a profile nor prices with tax", nil, func(f *fake) { f.profiles, f.inclusive = nil, false }, "no " +
			"shipping profile"},
		{"no default currency", nil, func(f *fake) {
			f.store["supported_currencies"] = []any{object{"currency_code": "eur", "is_default": false}}
		}, "no default currency"},
		{"another currency", []string{"CURRENCY", "USD"}, func(*fake) {}, "does not sell in USD"},
		{"without translations", nil, func(f *fake) { f.translation = false }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			tt.change(f)
			_, err := f.open(tt.settings...).Check(t.Context())
			e := shopadapter.Explain(err)
			if tt.says == "" && err != nil ||
				tt.says != "" &&
					(e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || !strings.Contains(e.Error(), tt.says)) {
				t.Errorf("the error is %v, and should say %q", err, tt.says)
			}
		})
	}
}
