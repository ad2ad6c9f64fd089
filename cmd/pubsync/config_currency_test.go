// Nothing starts where marketplace and shop have two currencies.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const noConversion = "nothing is converted, so 10.00 EUR would be sold for 10.00 USD"

// TestAShopInAnotherCurrency has nothing start that would write one currency's amounts as
// another's.
func TestAShopInAnotherCurrency(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		told     string // by the shop
		settings []string
		starts   bool
	}{
		{"nothing is known of the shop", "", nil, true},
		{"the shop says the same", "EUR", nil, true},
		{"the shop says another", "USD", nil, false},
		{"the setting says another", "", []string{"SHOP_CURRENCY", "usd"}, false},
		{"the shop says another than the setting", "USD", []string{"SHOP_CURRENCY", "EUR"}, false},
		{"the marketplace has the shop's", "USD", []string{"MARKETPLACE_CURRENCY", "USD"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(1)
			if tt.told != "" {
				s.shop.Can(shoptest.Abilities{Currency: tt.told, Version: "7.1\x1b[2J"})
			}
			s.set(tt.settings...)
			doctor := s.call("doctor", "--json")
			_, detail := s.checked(doctor)
			r := s.call("run", "--once", "--json")
			if tt.starts {
				if r.code != 0 {
					t.Errorf("exit %d, want 0: %s%s", r.code, r.stdout, r.stderr)
				}
				if tells := strings.Contains(detail["shop"], "and is version 7.1[2J\n"); tells != (tt.told != "") {
					t.Errorf("the doctor says %q", detail["shop"])
				}
				return
			}
			if r.code != 2 || !strings.Contains(r.stderr, noConversion) || len(s.shop.requests(shoptest.Publish)) > 0 {
				t.Errorf("exit %d, want 2 with %d requests: %s", r.code, len(s.shop.requests(shoptest.Publish)), r.stderr)
			}
			if said := detail["shop"] + detail["configuration"]; !strings.Contains(said, noConversion) {
				t.Errorf("the doctor says %v", detail)
			}
			if doctor.code != 2 {
				t.Errorf("the doctor ends with %d, want 2 as run does", doctor.code)
			}
			if p := s.call("plan"); p.code != 2 || !strings.Contains(p.stderr, noConversion) {
				t.Errorf("plan ends with %d: %s", p.code, p.stderr)
			}
		})
	}
	t.Run("no currency", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.set("SHOP_CURRENCY", "euros", "MARKETPLACE_CURRENCY", "€")
		if r := s.call("run", "--once"); r.code != 2 || !strings.Contains(r.stderr, "PUBSYNC_SHOP_CURRENCY") ||
			!strings.Contains(r.stderr, "PUBSYNC_MARKETPLACE_CURRENCY") {
			t.Errorf("exit %d, want 2: %s", r.code, r.stderr)
		}
	})
}
