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
		if tt.says == "" && err != nil ||
			tt.says != "" &&
				(e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || !strings.HasPrefix(e.Error(), tt.says)) {
			t.Errorf("%q, %q: %v", tt.shop, tt.marketplace, err)
		}
	}
}

func TestCurrencyCode(t *testing.T) {
	for text, want := range map[string]string{
		"EUR": "EUR", "eur": "EUR", "": "", "EURO": "", "E1R": "", "ıx": "", "maintenance": "",
	} {
		if code, ok := shopadapter.CurrencyCode(text); code != want || ok != (want != "") {
			t.Errorf("%q is %q, %t", text, code, ok)
		}
	}
}
