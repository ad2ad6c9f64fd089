package shopadapter

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

// Info is what a shop is, as its Check finds it. A zero field says nothing.
type Info struct {
	Version  string // the shop's own word, fit to be shown
	Warning  string // what keeps visitors from what is on sale though Publish works, and what to do; likewise
	Currency string // the ISO 4217 code, such as EUR; no amount is converted
	// Prices is which prices the shop accepts. Publish enters each so that a visitor is shown the
	// price of the product. After a change the caller has every price written again.
	Prices  Prices
	Figures bool // Publish accepts a Product of which the figures alone are known
	// Written is a short digest of what decides how products are written besides the product: settings of
	// the adapter and of the shop, such as units. After a change the caller has the texts of every listing
	// written again; Publish finds by the stamp what is to be done.
	Written string
}

// Prices is which prices a shop accepts. The zero value accepts them as the price rules make them.
type Prices struct {
	VAT    string // the percentage that the shop adds to a price; "": a price is entered with tax
	Places int    // how many decimals the shop accepts at most; counts where VAT is set
	Whole  bool   // visitors are shown whole amounts: prices are rounded up to them
	Note   string // for the merchant, what doctor shows beside; "": nothing
}

// A PricesMode is the setting PRICES of an adapter, which has the tag oneof:"auto,gross,net".
type PricesMode string

// The modes.
const (
	PricesAuto  = "auto" // as the shop says
	PricesGross = "gross"
	PricesNet   = "net"
)

// ChoosePrices is how prices are entered. adapter is the registered name, setting its setting PRICES,
// and vat is Options.VATPercent. included tells whether prices include tax in the shop, nil where it does
// not say: then auto writes them as they are. The error is of kind Blocked.
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

// Enter is a price in the form in which it is written to the shop. A net price keeps as many decimals
// as the shop accepts: fewer would be dearer or cheaper by the dozen. What is no price stays as it is.
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

// Shown is what a visitor is shown of a price that was entered. What is no price stays as it is.
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

// Alike reports whether two prices are entered as the same amount: of a 20.02 that was written a
// shop that takes two decimals without 21 % VAT shows 20.03.
func (p Prices) Alike(a, b string) bool { return amount.Same(p.Enter(a), p.Enter(b)) }

// Product is a product with its prices in the form in which they are written.
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

// places is an amount with two decimals, and with more where there are more.
func places(d decimal.Decimal) string {
	if d.Equal(d.Truncate(2)) {
		return d.StringFixed(2)
	}
	return d.String()
}
