package publication

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// The bases a price may start from.
const (
	BaseMSRP = "msrp" // the recommended consumer price
	BaseCost = "cost" // what the retailer pays
)

var hundred = decimal.NewFromInt(100)

// A PriceRule turns the supplier's figures into the shop's price, then raises it to the floor, cost
// × (1 + margin) × (1 + VAT), and up to the next price with the ending. Percentages are whole
// numbers: 21 is 21 %.
//
//	base is the msrp, which includes VAT    msrp × (1 + markup) + add
//	base is the msrp, without VAT           msrp × (1 + markup) × (1 + VAT) + add
//	base is the cost                        cost × (1 + markup) × (1 + VAT) + add
//	no msrp, NoMSRP is set                  cost × (1 + NoMSRP) × (1 + VAT) + add
//
// Tiers have a markup for each base before VAT, in the place of Markup. Categories have one for a
// branch, in the place of that or added to it. NoMSRP has no tiers, and of the categories only what
// is added. Fixed costs of sending × (1 + VAT) are added to the price; where the rule has any, the
// floor is (cost + fixed costs) × (1 + margin) × (1 + VAT).
type PriceRule struct {
	Base      string // BaseMSRP or BaseCost
	Markup    decimal.Decimal
	Add       decimal.Decimal // in the shop's currency
	VAT       decimal.Decimal
	NetMSRP   bool             // the msrp is without VAT
	NoMSRP    *decimal.Decimal // the markup on the cost of a variant without msrp; nil: it is refused
	Ending    *decimal.Decimal // nil: none
	EndingMod decimal.Decimal  // the step between prices with this ending: 1 for .95, 10 for 9.95
	MinMargin *decimal.Decimal // nil: the floor is cost × (1 + VAT)

	Tiers      []Tier           `json:",omitempty"` // sorted, without a gap; empty: Markup is that of every base
	Categories []CategoryMarkup `json:",omitempty"` // the deepest branch that fits counts
	Shipping   ShippingCosts    `json:",omitempty"`
	Country    string           `json:",omitempty"` // the group of countries of the fixed costs

	of *particulars // nil: categories and shipping are left out, see For
}

// particulars are what a rule makes of the terms of one product.
type particulars struct {
	category *CategoryMarkup // that fits; nil: none
	fixed    decimal.Decimal // the fixed costs; zero where the rule leaves them out
	lacks    string          // why the terms are not enough, "" where they are
}

// For is the rule for one product, with the supplier's terms of it.
func (r PriceRule) For(t store.Terms) PriceRule {
	p := &particulars{}
	var costs, branch string
	p.category, branch = r.categoryOf(t)
	p.fixed, costs = r.fixedCosts(t)
	p.lacks = cmp.Or(branch, costs)
	r.of = p
	return r
}

// NeedsTerms reports whether prices depend on the terms of a product beside its figures.
func (r PriceRule) NeedsTerms() bool { return len(r.Categories) > 0 || r.Shipping.needs() }

// ParseEnding reads an ending such as .95 or 9.99, and the step between two prices that have it.
// 0.95 counts as .95, as many people write it, and not as one price in ten. Digits alone are
// refused: 95 is more likely .95 than one price in a hundred.
func ParseEnding(s string) (ending, mod decimal.Decimal, err error) {
	if !strings.Contains(s, ".") {
		s = strings.Replace(s, ",", ".", 1)
	}
	whole, fraction, pointed := strings.Cut(s, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(fraction) > 2 || len(whole) > 6 {
		return ending, mod, errors.New("is not an ending such as .95 or 9.99")
	}
	if !pointed {
		return ending, mod, errors.New("has neither a dot nor a comma: " + likelyEnding(digits))
	}
	if fraction != "" && strings.Trim(whole, "0") == "" {
		whole = ""
	}
	ending, err = decimal.NewFromString("0" + strings.TrimSuffix(s, "."))
	if err != nil {
		return ending, mod, errors.New("is not an ending such as .95 or 9.99")
	}
	return ending, decimal.New(1, int32(len(whole))), nil //nolint:gosec // at most six digits
}

// likelyEnding says what an ending without a point is likely to mean.
func likelyEnding(digits string) string {
	if len(digits) > 4 {
		return "write .95, or 9.00 for whole amounts"
	}
	cents := max(len(digits)-2, 0)
	return fmt.Sprintf("did you mean %s.%s? Whole amounts have a dot too, such as 9.00", digits[:cents], digits[cents:])
}

// A Quote is a price and its explanation.
type Quote struct {
	Price decimal.Decimal
	Floor decimal.Decimal // zero when the cost is not known
	Lacks string          // what is not known of the product and left out of the price, "" for nothing
	Steps []string        // a short sentence for each step; only Explain fills them

	told bool
}

// Quote applies the rule to one variant's figures: decimal strings, each of which may be empty. The
// error says why the variant cannot be sold.
func (r PriceRule) Quote(cost, msrp string) (Quote, error) { return r.quote(cost, msrp, false) }

// Explain is Quote with the steps, which take longer than the price.
func (r PriceRule) Explain(cost, msrp string) (Quote, error) { return r.quote(cost, msrp, true) }

// quoter is Quote for the variants of one product. It remembers the last quote, since most variants
// have the figures of the one before.
func (r PriceRule) quoter() func(cost, msrp string) (Quote, error) {
	var (
		begun              bool
		lastCost, lastMSRP string
		quote              Quote
		err                error
	)
	return func(cost, msrp string) (Quote, error) {
		if !begun || cost != lastCost || msrp != lastMSRP {
			quote, err = r.Quote(cost, msrp)
			begun, lastCost, lastMSRP = true, cost, msrp
		}
		return quote, err
	}
}

// A basis is what a price is made from.
type basis struct {
	name   string // BaseMSRP or BaseCost
	amount decimal.Decimal
	markup decimal.Decimal
	gross  bool // VAT is in the amount
	lacks  bool // it replaces a missing msrp

	tier     *Tier           // the markup is of this tier
	category *CategoryMarkup // the markup is of this category, or has its percentage added
}

// basis is what the rule makes a price from. The error says why there is none.
func (r PriceRule) basis(cost, msrp string) (basis, error) {
	b, err := r.baseOf(cost, msrp)
	if err != nil {
		return b, err
	}
	if tier, ok := r.tierOf(r.net(b)); ok && !b.lacks {
		b.tier, b.markup = &tier, tier.Markup
	}
	switch c := r.categoryFor(b); {
	case c == nil:
	case c.Added:
		b.category, b.markup = c, b.markup.Add(c.Markup)
	default:
		b.category, b.tier, b.markup = c, nil, c.Markup
	}
	return b, nil
}

// net is the amount of a base without VAT.
func (r PriceRule) net(b basis) decimal.Decimal {
	if !b.gross || !r.VAT.IsPositive() {
		return b.amount
	}
	return b.amount.Div(factor(r.VAT))
}

// categoryFor is the category that says something of the markup of a base, nil for none.
func (r PriceRule) categoryFor(b basis) *CategoryMarkup {
	if r.of == nil || r.of.category == nil || b.lacks && !r.of.category.Added {
		return nil
	}
	return r.of.category
}

// baseOf is basis before tiers and categories.
func (r PriceRule) baseOf(cost, msrp string) (basis, error) {
	b := basis{name: BaseCost, markup: r.Markup}
	if r.Base != BaseCost {
		amount, err := parseAmount(msrp)
		switch {
		case err != nil:
			return b, errors.New("its msrp is not a price")
		case !amount.IsZero():
			return basis{name: BaseMSRP, amount: amount, markup: r.Markup, gross: !r.NetMSRP}, nil
		case r.NoMSRP == nil:
			return b, errors.New(
				"it has no msrp to make a price from (PUBSYNC_PRICE_NO_MSRP=cost makes it from the cost)",
			)
		}
		b.lacks, b.markup = true, *r.NoMSRP
	}
	var err error
	switch b.amount, err = parseAmount(cost); {
	case err != nil:
		return b, errors.New("its cost is not a price")
	case !b.amount.IsZero():
		return b, nil
	case b.lacks:
		return b, errors.New("it has neither an msrp nor a cost to make a price from")
	default:
		return b, errors.New("it has no cost to make a price from")
	}
}

func (r PriceRule) quote(cost, msrp string, told bool) (Quote, error) {
	base, err := r.basis(cost, msrp)
	if err != nil {
		return Quote{}, err
	}
	costAmount, err := parseAmount(cost)
	switch {
	case err != nil:
		return Quote{}, errors.New("its cost is not a price")
	case r.MinMargin != nil && costAmount.IsZero():
		return Quote{}, errors.New("its cost is not known, so the margin cannot be kept")
	}

	q := Quote{told: told}
	vat, fixed := factor(r.VAT), decimal.Zero
	if r.of != nil {
		fixed, q.Lacks = r.of.fixed, r.of.lacks
	}
	q.Price = base.amount.Mul(factor(base.markup))
	if !base.gross {
		q.Price = q.Price.Mul(vat)
	}
	q.Price = q.Price.Add(r.Add).Round(2)
	q.tellBase(base, r)
	if r.Shipping == ShippingAdd && !fixed.IsZero() {
		q.Price = q.Price.Add(fixed.Mul(vat)).Round(2)
		q.step("fixed costs of sending to %s %s × (1 + %s %% VAT) on top = %s", r.Country, fixed, r.VAT,
			twoPlaces{q.Price})
	}
	if q.Lacks != "" {
		q.step("left out: %s = %s", q.Lacks, twoPlaces{q.Price})
	}
	q.raise(r, costAmount, fixed)
	if !q.Price.IsPositive() { // an ending would make it a price near zero
		return Quote{}, errors.New("its price would not be above zero")
	}
	if r.Ending != nil {
		up := q.Price.Sub(*r.Ending).Div(r.EndingMod).Ceil()
		q.Price = decimal.Max(up, decimal.Zero).Mul(r.EndingMod).Add(*r.Ending)
		q.step("up to the next ending %s = %s", twoPlaces{*r.Ending}, twoPlaces{q.Price})
	}
	return q, nil
}

// raise raises the price to the floor, where the cost is known.
func (q *Quote) raise(r PriceRule, cost, fixed decimal.Decimal) {
	if cost.IsZero() {
		return
	}
	margin := decimal.Zero
	if r.MinMargin != nil {
		margin = *r.MinMargin
	}
	q.Floor = cost.Add(fixed).Mul(factor(margin)).Mul(factor(r.VAT)).RoundCeil(2)
	if !q.Price.LessThan(q.Floor) {
		return
	}
	q.Price = q.Floor
	of := "cost " + cost.String()
	if !fixed.IsZero() {
		of = fmt.Sprintf("(cost %s + fixed costs of sending to %s %s)", cost, r.Country, fixed)
	}
	q.step("raised to the floor, %s × (1 + %s %%) × (1 + %s %% VAT) = %s", of, margin, r.VAT, twoPlaces{q.Floor})
}

// usual is the usual price of a variant and its name: the msrp, or without one the cost, each with
// VAT. It is zero where neither is known.
func (r PriceRule) usual(cost, msrp string) (amount decimal.Decimal, name string) {
	amount, err := parseAmount(msrp)
	switch {
	case err == nil && amount.IsPositive() && !r.NetMSRP:
		return amount, "msrp with VAT"
	case err == nil && amount.IsPositive():
		return amount.Mul(factor(r.VAT)), "msrp with VAT"
	}
	amount, err = parseAmount(cost)
	if err != nil {
		return decimal.Zero, ""
	}
	return amount.Mul(factor(r.VAT)), "cost with VAT"
}

// tellBase explains how the base led to the price, in the words of the settings.
func (q *Quote) tellBase(b basis, r PriceRule) {
	if !q.told {
		return
	}
	taxed := fmt.Sprintf(" × (1 + %s %% VAT)", r.VAT)
	switch {
	case b.gross:
		q.step("the msrp includes VAT and is not taxed again")
		taxed = ""
	case b.lacks:
		q.step("it has no msrp, so that its price is made from its cost")
	case b.name == BaseMSRP:
		q.step("the msrp is without VAT")
	}
	switch {
	case b.tier != nil:
		q.step("the tier of a base of %s before VAT has a markup of %s %%", b.tier, b.tier.Markup)
	case b.category != nil && !b.category.Added:
		q.step("the category %s has a markup of %s %%", b.category.Path, b.category.Markup)
	}
	if b.category != nil && b.category.Added {
		q.step("the category %s adds %s %% to the markup of %s %%", b.category.Path, b.category.Markup,
			b.markup.Sub(b.category.Markup))
	}
	q.step("%s %s × (1 + %s %%)%s + %s = %s", b.name, b.amount, b.markup, taxed, r.Add, twoPlaces{q.Price})
}

func (q *Quote) step(format string, args ...any) {
	if q.told {
		q.Steps = append(q.Steps, fmt.Sprintf(format, args...))
	}
}

// twoPlaces is an amount that is printed with two decimals.
type twoPlaces struct{ amount decimal.Decimal }

func (c twoPlaces) String() string { return c.amount.StringFixed(2) }

func factor(percent decimal.Decimal) decimal.Decimal { return hundred.Add(percent).Shift(-2) }

// amountDigits bounds the digits of an amount, before the point and after it: a longer figure is
// the supplier's mistake, and no shop accepts it.
const amountDigits = 12

// parseAmount reads a decimal string; the empty string is zero, a negative amount is an error.
func parseAmount(s string) (decimal.Decimal, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return decimal.Zero, nil
	}
	if len(s) > 32 {
		return decimal.Zero, errors.New("too long for an amount")
	}
	d, err := decimal.NewFromString(s)
	if err != nil || d.IsNegative() || d.Exponent() < -amountDigits || d.NumDigits()+int(d.Exponent()) > amountDigits {
		return decimal.Zero, errors.New("not an amount")
	}
	return d, nil
}

// amountText is an amount as a shop can read it, digits and a point, unchanged where it is that
// already; "" for a text that is no amount.
func amountText(s string) string {
	d, err := parseAmount(s)
	s = strings.TrimSpace(s)
	switch {
	case err != nil || s == "":
		return ""
	case strings.Trim(s, "0123456789.") != "" || strings.HasPrefix(s, ".") || strings.HasSuffix(s, "."):
		return d.String()
	default:
		return s
	}
}
