// Package amount reads amounts of money.
package amount

import (
	"strings"

	"github.com/shopspring/decimal"
)

const longest = 24

// Parse reads a decimal: digits, or digits, a point and digits. Exponents, signs and blanks are no amount.
func Parse(text string) (d decimal.Decimal, ok bool) {
	whole, fraction, point := strings.Cut(text, ".")
	if whole == "" || point && fraction == "" || len(text) > longest ||
		strings.Trim(whole+fraction, "0123456789") != "" {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(text)
	return d, err == nil
}

// Same reports whether two texts are the same amount.
func Same(a, b string) bool {
	x, okX := Parse(a)
	y, okY := Parse(b)
	return okX && okY && x.Equal(y)
}
