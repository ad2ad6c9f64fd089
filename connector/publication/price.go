package publication

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// The bases a price may start from.
const (
	BaseMSRP = "msrp" // the recommended consumer price
	BaseCost = "cost" // what the retailer pays
)

var hundred = decimal.NewFromInt(100)

// A PriceRule turns the supplier's figures into the shop's price: base × (1 + markup) × (1 + VAT) + add, never below
// cost × (1 + margin) × (1 + VAT), then up to the next price with the ending. Percentages are whole numbers: 21 is 21 %.
type PriceRule struct {
	Base      string // BaseMSRP or BaseCost
	Markup    decimal.Decimal
	Add       decimal.Decimal // in the shop's currency
	VAT       decimal.Decimal
	Ending    *decimal.Decimal // nil: none
	EndingMod decimal.Decimal  // what prices with the same ending lie apart: 1 for .95, 10 for 9.95
	MinMargin *decimal.Decimal // nil: the floor is cost × (1 + VAT)
}

// ParseEnding reads an ending such as .95 or 9.99 and the distance between two prices that have it. A nought before the point is how many people
// write .95, so that 0.95 is that, and not one price in ten.
func ParseEnding(s string) (ending, mod decimal.Decimal, err error) {
	whole, fraction, _ := strings.Cut(s, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(fraction) > 2 || len(whole) > 6 {
		return ending, mod, errors.New("is not an ending such as .95 or 9.99")
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

// A Quote is a price and how it came about.
type Quote struct {
	Price decimal.Decimal
	Floor decimal.Decimal // zero when the cost is not known
	Steps []string        // one short sentence a step, where they were asked for

	told bool
}

// Quote applies the rule to one variant's figures, decimal strings of which each may be empty. The error says why the variant cannot be sold.
func (r PriceRule) Quote(cost, msrp string) (Quote, error) { return r.quote(cost, msrp, false) }

// Explain is Quote with the steps, which take longer than the price.
func (r PriceRule) Explain(cost, msrp string) (Quote, error) { return r.quote(cost, msrp, true) }

// quoter is Quote for the variants of one product, most of which have the figures of the one before.
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

func (r PriceRule) quote(cost, msrp string, told bool) (Quote, error) {
	costAmount, costErr := parseAmount(cost)
	base, name := msrp, BaseMSRP
	if r.Base == BaseCost {
		base, name = cost, BaseCost
	}
	amount, err := parseAmount(base)
	switch {
	case err != nil:
		return Quote{}, fmt.Errorf("its %s is not a price", name)
	case amount.IsZero():
		return Quote{}, fmt.Errorf("it has no %s to make a price from", name)
	case costErr != nil:
		return Quote{}, errors.New("its cost is not a price")
	case r.MinMargin != nil && costAmount.IsZero():
		return Quote{}, errors.New("its cost is not known, so the margin cannot be kept")
	}

	q := Quote{told: told}
	vat := factor(r.VAT)
	q.Price = amount.Mul(factor(r.Markup)).Mul(vat).Add(r.Add).Round(2)
	q.step("%s %s × (1 + %s %%) × (1 + %s %% VAT) + %s = %s", name, amount, r.Markup, r.VAT, r.Add, twoPlaces{q.Price})

	if !costAmount.IsZero() {
		margin := decimal.Zero
		if r.MinMargin != nil {
			margin = *r.MinMargin
		}
		q.Floor = costAmount.Mul(factor(margin)).Mul(vat).RoundCeil(2)
		if q.Price.LessThan(q.Floor) {
			q.Price = q.Floor
			q.step("raised to the floor, cost %s × (1 + %s %%) × (1 + %s %% VAT) = %s", costAmount, margin, r.VAT, twoPlaces{q.Floor})
		}
	}
	if !q.Price.IsPositive() { // an ending would make nearly a gift of it
		return Quote{}, errors.New("its price would not be above zero")
	}
	if r.Ending != nil {
		up := q.Price.Sub(*r.Ending).Div(r.EndingMod).Ceil()
		q.Price = decimal.Max(up, decimal.Zero).Mul(r.EndingMod).Add(*r.Ending)
		q.step("up to the next ending %s = %s", twoPlaces{*r.Ending}, twoPlaces{q.Price})
	}
	return q, nil
}

func (q *Quote) step(format string, args ...any) {
	if q.told {
		q.Steps = append(q.Steps, fmt.Sprintf(format, args...))
	}
}

// twoPlaces is an amount that is shown with two places.
type twoPlaces struct{ amount decimal.Decimal }

func (c twoPlaces) String() string { return c.amount.StringFixed(2) }

func factor(percent decimal.Decimal) decimal.Decimal { return hundred.Add(percent).Shift(-2) }

// amountDigits bounds an amount, before the point and behind it: a figure with more is a fault upstream, and no shop takes it.
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

// amountText is an amount as a shop may read it: digits and a point, as they were sent where they were sent so; "" for what is no amount.
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
