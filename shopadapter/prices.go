package shopadapter

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

// Info is what Check finds; a zero field says nothing.
type Info struct {
	Version  string // fit to be shown
	Warning  string // why visitors cannot buy although Publish works, and the remedy
	Currency string // ISO 4217 code; no amount is converted
	// Prices says how Publish enters prices, so that visitors see the Product's. After a change the caller has all
	// prices written again.
	Prices  Prices
	Figures bool // Publish accepts Product.Figures
	// Written is a short digest of adapter and shop settings that decide how products are written, such as units. After
	// a change the caller has all texts written again.
	Written string
}

// Prices says which prices a shop accepts; zero takes them as the price rules make them.
type Prices struct {
	VAT    string // the percentage that the shop adds; "": prices are entered with tax
	Places int    // most decimals; used if VAT is set
	Whole  bool   // visitors see whole amounts: prices are rounded up
	Note   string // doctor shows it to the merchant; "": none
}

// A PricesMode is the setting PRICES, with the tag oneof:"auto,gross,net".
type PricesMode string

// The modes.
const (
	PricesAuto  = "auto" // as the shop says
	PricesGross = "gross"
	PricesNet   = "net"
)

// ChoosePrices decides how prices are entered, for a registered adapter, its setting PRICES and Options.VATPercent.
// included says whether the shop's prices include tax; if it is nil, auto writes them as they are. The error is
// Blocked, shop-wide.
func ChoosePrices(adapter string, setting PricesMode, vat string, places int, included *bool) (Prices, error) {
	variable := Variable(adapter, "PRICES")
	percent, ok := amount.Parse(vat)
	switch {
	case setting == PricesGross && included != nil && !*included:
		return Prices{Note: "the shop adds tax to that: " + variable + "=gross has a visitor pay it on top"}, nil
	case setting == PricesGross, setting == PricesAuto && (included == nil || *included):
		return Prices{}, nil
	case included != nil && *included:
		return Prices{}, Block("prices include tax in this shop, and %s=net says that they do not: change one of them",
			variable).Everywhere()
	case !ok || percent.IsZero():
		return Prices{}, Block("prices are entered without tax in this shop, and PUBSYNC_PRICE_VAT_PERCENT is not set: set "+
			"it to the VAT that the shop adds, or set %s=gross to have prices written as they are", variable).Everywhere()
	}
	return Prices{VAT: percent.String(), Places: places}, nil
}

// Net reports whether prices are entered without tax.
func (p Prices) Net() bool { return p.VAT != "" }

// Enter returns a price as written to the shop. A net price keeps all decimals that the shop accepts: rounding adds
// up by the dozen. Text that is no price stays, also in Shown.
func (p Prices) Enter(price string) string {
	entered, ok := amount.Parse(price)
	if !ok || !p.Net() && !p.Whole {
		return price
	}
	if p.Whole {
		entered = entered.Ceil()
	}
	if p.Net() {
		entered = entered.DivRound(p.factor(), int32(p.Places))
	}
	return places(entered)
}

// Shown returns what a visitor sees of an entered price.
func (p Prices) Shown(entered string) string {
	price, ok := amount.Parse(entered)
	if !ok {
		return entered
	}
	if p.Net() {
		price = price.Mul(p.factor()).Round(2)
	}
	if p.Whole {
		price = price.Round(0)
	}
	return places(price)
}

// Alike reports whether two prices are entered alike: with 21 % VAT and two decimals 20.02 reads back as 20.03.
func (p Prices) Alike(a, b string) bool { return amount.Same(p.Enter(a), p.Enter(b)) }

// Product returns a product with entered prices.
func (p Prices) Product(product Product) Product {
	product.Variants = slices.Clone(product.Variants)
	for i, v := range product.Variants {
		product.Variants[i].Price = p.Enter(v.Price)
	}
	return product
}

func (p Prices) factor() decimal.Decimal {
	percent, _ := amount.Parse(p.VAT)
	return percent.Shift(-2).Add(decimal.New(1, 0))
}

// places keeps at least two decimals.
func places(d decimal.Decimal) string {
	if d.Equal(d.Truncate(2)) {
		return d.StringFixed(2)
	}
	return d.String()
}
