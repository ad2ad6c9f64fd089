package medusa_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/medusa"
)

// A told shop answers what Check asks, and every other request in one way. It knows nothing of Medusa.
type told struct {
	vat                           string
	store                         object
	channels, locations, profiles []object
	inclusive, translation        bool
	status                        int // of every other request
	body                          string
}

// tells is a shop that is in order.
func tells() *told {
	return &told{
		store: object{
			"id": "store_1", "default_sales_channel_id": "sc_1",
			"supported_currencies": []any{object{"currency_code": "eur", "is_default": true}},
		},
		channels:  []object{{"id": "sc_1", "name": "Default Sales Channel"}},
		locations: []object{place("sloc_1", "Warehouse", "sc_1")},
		profiles:  []object{{"id": "sp_1"}},
		inclusive: true, translation: true,
	}
}

// place is a stock location that serves a channel.
func place(id, name, channel string) object {
	return object{"id": id, "name": name, "sales_channels": []any{object{"id": channel}}}
}

func (s *told) RoundTrip(r *http.Request) (*http.Response, error) {
	answers := map[string]object{
		"feature-flags":     {"feature_flags": object{"translation": s.translation}},
		"stores":            {"stores": []object{s.store}},
		"sales-channels":    {"sales_channels": s.channels},
		"stock-locations":   {"stock_locations": s.locations},
		"shipping-profiles": {"shipping_profiles": s.profiles},
		"price-preferences": {"price_preferences": []object{{"value": "eur", "is_tax_inclusive": s.inclusive}}},
	}
	status, body := s.status, s.body
	if answer := answers[strings.TrimPrefix(r.URL.Path, "/admin/")]; answer != nil {
		text, err := json.Marshal(answer)
		if err != nil {
			return nil, err
		}
		status, body = http.StatusOK, string(text)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

func (s *told) open(t *testing.T, changes ...string) *medusa.Adapter {
	t.Helper()
	settings := map[string]string{
		"URL": "https://medusa.example", "TOKEN": "sk_0123456789abcdef",
		"STOREFRONT_URL": "https://shop.example/products/{handle}",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		settings[changes[i]] = changes[i+1]
	}
	a, err := medusa.Open(shopadapter.Options{
		Settings: settings, VATPercent: s.vat, HTTPClient: &http.Client{Transport: s},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Check names what a shop lacks, and chooses among what it has.
func TestCheck(t *testing.T) {
	warehouse, shed := place("sloc_1", "Warehouse", "sc_1"), place("sloc_2", "Shed", "sc_2")
	net := func(s *told) { s.inclusive, s.vat = false, "21" }
	for _, tt := range []struct {
		name     string
		settings []string
		change   func(s *told)
		says     string // "": all is well
	}{
		{"as it is", nil, func(*told) {}, ""},
		{"channel by name", []string{"SALES_CHANNEL", "Default Sales Channel"}, func(*told) {}, ""},
		{"no such channel", []string{"SALES_CHANNEL", "Web"}, func(*told) {}, "no such sales channel"},
		{"a disabled channel", nil, func(s *told) { s.channels[0]["is_disabled"] = true }, "is disabled"},
		{"no location", nil, func(s *told) { s.locations = []object{shed} }, "no stock location serves"},
		{"two locations", nil, func(s *told) { s.locations = []object{warehouse, warehouse} }, "2 stock locations"},
		{"location by name", []string{"STOCK_LOCATION", "Warehouse"}, func(s *told) {
			s.locations = []object{warehouse, shed}
		}, ""},
		{"no such location", []string{"STOCK_LOCATION", "Attic"}, func(*told) {}, "no such stock location"},
		{"a location apart", []string{"STOCK_LOCATION", "Shed"}, func(s *told) {
			s.locations = []object{warehouse, shed}
		}, "does not serve"},
		{"the store's own location", nil, func(s *told) {
			s.locations, s.store["default_location_id"] = []object{warehouse, warehouse}, "sloc_1"
		}, ""},
		{"no shipping profile", nil, func(s *told) { s.profiles = nil }, "no shipping profile"},
		{"prices without tax", nil, func(s *told) { s.inclusive = false }, "tax inclusive pricing"},
		{"prices without tax, and a percentage", nil, net, ""},
		{"prices without tax, as set", []string{"PRICES", "net"}, net, ""},
		{"prices without tax, paid on top", []string{"PRICES", "gross"}, func(s *told) { s.inclusive = false }, ""},
		{"prices with tax, set otherwise", []string{"PRICES", "net"}, func(*told) {}, "include tax"},
		{"no default currency", nil, func(s *told) {
			s.store["supported_currencies"] = []any{object{"currency_code": "eur"}}
		}, "no default currency"},
		{"another currency", []string{"CURRENCY", "USD"}, func(*told) {}, "does not sell in USD"},
		{"without translations", nil, func(s *told) { s.translation = false }, ""},
	} {
		s := tells()
		tt.change(s)
		_, err := s.open(t, tt.settings...).Check(t.Context())
		e := shopadapter.Explain(err)
		if lacks := tt.says != ""; lacks != (err != nil) || lacks &&
			(e.Kind != shopadapter.Blocked || !e.ShopWide || !strings.Contains(e.Error(), tt.says)) {
			t.Errorf("%s: the error is %v, and should say %q", tt.name, err, tt.says)
		}
	}
}

// An answer that is no product is judged by who can mend it, in Medusa's words or in ours.
func TestRefusals(t *testing.T) {
	const page = "<!DOCTYPE html>\n<pre>Cannot GET /admin/products</pre>"
	for _, tt := range []struct {
		status int
		body   string
		kind   shopadapter.Kind
		wide   bool
		says   string
	}{
		{401, `{"message":"Unauthorized"}`, shopadapter.Blocked, true, "PUBSYNC_MEDUSA_TOKEN"},
		{301, ``, shopadapter.Blocked, true, "PUBSYNC_MEDUSA_URL"},
		{404, page, shopadapter.Blocked, true, "no Medusa 2.17"},
		{404, `{"type":"not_found","message":"Product not found"}`, shopadapter.Transient, false, "any more"},
		{400, `{"type":"invalid_data","message":"Field 'x' is\nrequired"}`, shopadapter.Rejected, false, "'x' is required"},
		{413, `{"message":"request entity too large"}`, shopadapter.Rejected, false, "too large"},
		{500, `{"type":"unknown_error","message":"sk_0123456789abcdef"}`, shopadapter.Transient, false, "[token]"},
		{502, page, shopadapter.Transient, false, "an HTML page"},
		{200, page, shopadapter.Transient, false, ""},
		{200, `null`, shopadapter.Transient, false, "no JSON object"},
	} {
		s := tells()
		s.status, s.body = tt.status, tt.body
		p := laws.Sample("p", 1)
		_, err := s.open(t).Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != tt.kind || e.ShopWide != tt.wide || !strings.Contains(e.Error(), tt.says) {
			t.Errorf("%d %s: got %+v, want %s, shop-wide: %t, with %q", tt.status, tt.body, e, tt.kind, tt.wide, tt.says)
		}
	}
}
