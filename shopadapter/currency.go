package shopadapter

import (
	"cmp"
	"regexp"
	"strings"
)

// SameCurrency is nil where a shop's currency is the marketplace's, or one of them is not known.
// Otherwise it is an error of kind Blocked, shop-wide, that says what to do.
func SameCurrency(shop, marketplace string) error {
	if shop == "" || marketplace == "" || strings.EqualFold(shop, marketplace) {
		return nil
	}
	const unknown = "a currency of no known code" // a shop's word is foreign text, and is not repeated
	shop, marketplace = cmp.Or(CurrencyCode(shop), unknown), cmp.Or(CurrencyCode(marketplace), unknown)
	return Block("the shop sells in %s and the marketplace's amounts are in %s: nothing is converted, so 10.00 %s "+
		"would be sold for 10.00 %s. Have the shop sell in %s, or set PUBSYNC_MARKETPLACE_CURRENCY if the marketplace's "+
		"amounts are in another currency", shop, marketplace, marketplace, shop, marketplace).Everywhere()
}

var threeLetters = regexp.MustCompile(`^[A-Za-z]{3}$`)

// CurrencyCode is a text as an ISO 4217 code in upper case, "" where it has not the form of one.
func CurrencyCode(text string) string { return strings.ToUpper(threeLetters.FindString(text)) }
