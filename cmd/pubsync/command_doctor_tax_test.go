// doctor follows a price to the visitor of a shop that takes prices without VAT.

package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// wooAnswers is a WooCommerce as far as a check asks it: recorded answers, with the settings given.
// A setting without a value is not to be seen.
func wooAnswers(t *testing.T, settings map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		route, _ := strings.CutPrefix(r.URL.Path, "/wp-json/wc/v3")
		group, ofGroup := strings.CutPrefix(route, "/settings/")
		switch {
		case ofGroup && settings != nil:
			all := []map[string]string{{"id": "woocommerce_currency", "value": "EUR"}}
			for name, value := range settings {
				if id, in := strings.CutPrefix(name, group+"/"); in {
					all = append(all, map[string]string{"id": id, "value": value})
				}
			}
			_ = json.NewEncoder(w).Encode(all)
		case ofGroup:
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"code":"woocommerce_rest_cannot_view",` +
				`"message":"Sorry, you cannot list resources.","data":{"status":403}}`))
		default:
			_, _ = w.Write([]byte(`[]`))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestTheDoctorFollowsAPrice has the doctor say what a visitor sees of a price, and how a price
// that a shop cannot take is to be mended.
func TestTheDoctorFollowsAPrice(t *testing.T) {
	t.Parallel()
	calculated := map[string]string{"general/woocommerce_calc_taxes": "yes", "tax/woocommerce_prices_include_tax": "no"}
	for _, tt := range []struct {
		name     string
		shop     map[string]string
		settings []string
		says     string
		code     int
	}{
		{
			"net", calculated,
			[]string{"PRICE_VAT_PERCENT", "21"},
			"20.02 from pubsync is written as 16.545455 net, the visitor sees 20.02 with 21 % VAT", 0,
		},
		{
			"no percentage", calculated, nil, "set it to the VAT that the shop adds, or set PUBSYNC_SHOP_PRICES=gross",
			4,
		},
		{
			"gross by the setting", calculated,
			[]string{"WOOCOMMERCE_PRICES", "gross"},
			"20.02 from pubsync is written as 20.02\nas PUBSYNC_SHOP_PRICES says", 0,
		},
		{
			"a stock install",
			map[string]string{"general/woocommerce_calc_taxes": "no"},
			nil,
			"20.02 from pubsync is written as 20.02, as the visitor sees it", 0,
		},
		{"a key that sees no settings", nil, nil, "the key's user may not read the tax settings", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("HTTP_URL", "", "HTTP_TOKEN", "", "SHOP_ADAPTER", "woocommerce", "WOOCOMMERCE_URL", wooAnswers(t, tt.shop),
				"WOOCOMMERCE_KEY", "ck_0123456789", "WOOCOMMERCE_SECRET", "cs_0123456789")
			s.set(tt.settings...)
			r := s.call("doctor", "--json")
			if _, detail := s.checked(r); r.code != tt.code || !strings.Contains(detail["shop"], tt.says) {
				t.Errorf("exit %d, want %d; the doctor says %q, want %q", r.code, tt.code, detail["shop"], tt.says)
			}
		})
	}
}
