package shopadapter_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestSameCurrency(t *testing.T) {
	for _, tt := range []struct {
		shop, marketplace string
		says              string // "" for no error
	}{
		{"EUR", "EUR", ""},
		{"eur", "EUR", ""},
		{"", "EUR", ""},
		{"USD", "", ""},
		{"usd", "EUR", "the shop sells in USD and the marketplace's amounts are in EUR: nothing is converted, so " +
			"10.00 EUR would be sold for 10.00 USD."},
		{"\x1b[31m", "EUR", "the shop sells in a currency of no known code"},
	} {
		err := shopadapter.SameCurrency(tt.shop, tt.marketplace)
		e := shopadapter.Explain(err)
		if tt.says == "" {
			if err != nil {
				t.Errorf("%q, %q: got %v, want nil", tt.shop, tt.marketplace, err)
			}
			continue
		}
		if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide {
			t.Errorf("%q, %q: got %+v, want an error that is blocked and shop-wide", tt.shop, tt.marketplace, e)
		}
		if err != nil && !strings.HasPrefix(err.Error(), tt.says) {
			t.Errorf("%q, %q: got %q, want %q", tt.shop, tt.marketplace, err, tt.says)
		}
	}
}

func TestCurrencyCode(t *testing.T) {
	for text, want := range map[string]string{
		"EUR": "EUR", "eur": "EUR", "": "", "EURO": "", "E1R": "", "ıx": "", "maintenance": "",
	} {
		if code := shopadapter.CurrencyCode(text); code != want {
			t.Errorf("%q: got %q, want %q", text, code, want)
		}
	}
}
