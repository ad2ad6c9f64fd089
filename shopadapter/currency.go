package shopadapter

import (
	"cmp"
	"fmt"
	"strings"
)

// SameCurrency is nil where a shop's currency is the marketplace's, or one of them is not known.
// Otherwise it is an error of kind Blocked, shop-wide.
func SameCurrency(shop, marketplace string) error {
	if shop == "" || marketplace == "" || strings.EqualFold(shop, marketplace) {
		return nil
	}
	return Block("%s", CurrenciesDiffer(shop, marketplace)).Everywhere()
}

// CurrenciesDiffer says why nothing is published where two currencies differ, and what to do.
func CurrenciesDiffer(shop, marketplace string) string {
	shop, marketplace = shown(shop), shown(marketplace)
	return fmt.Sprintf("the shop sells in %s and the marketplace's amounts are in %s: nothing is converted, so 10.00 %s "+
		"would be sold for 10.00 %s. Have the shop sell in %s, or set PUBSYNC_MARKETPLACE_CURRENCY if the marketplace's "+
		"amounts are in another currency", shop, marketplace, marketplace, shop, marketplace)
}

// CurrencyCode is a text as an ISO 4217 code in upper case, and reports whether it has the form of
// one: three letters.
func CurrencyCode(text string) (code string, ok bool) {
	code = strings.ToUpper(text)
	if len(text) != 3 || len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", false
	}
	return code, true
}

// shown is a currency's code. What a shop says is foreign text: anything but a code is not repeated.
func shown(currency string) string {
	code, _ := CurrencyCode(currency)
	return cmp.Or(code, "a currency of no known code")
}
