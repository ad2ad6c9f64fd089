package publication

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// The bases a price may start from.
const (
	BaseMSRP = "msrp" // the recommended consumer price
	BaseCost = "cost" // what the retailer pays
)

// ShippingCosts is what becomes of the supplier's fixed costs of sending.
type ShippingCosts string

// The choices. The zero ShippingCosts is ShippingOff.
const (
	ShippingOff   ShippingCosts = "off"   // the customer is asked for them beside the price, or nobody is
	ShippingAdd   ShippingCosts = "add"   // they are in the price, and in its floor
	ShippingFloor ShippingCosts = "floor" // they are in the floor alone
)

// A PriceRule turns the supplier's figures into the shop's price, then raises it to the floor, up to
// the next price with the ending, and to a whole unit of the shop's. Percentages are whole numbers:
// 21 is 21 %.
//
//	base is the msrp, which includes VAT    msrp × (1 + markup) + add
//	base is the msrp, without VAT           msrp × (1 + markup) × (1 + VAT) + add
//	base is the cost                        cost × (1 + markup) × (1 + VAT) + add
//	no msrp, NoMSRP is set                  cost × (1 + NoMSRP) × (1 + VAT) + add
//	the floor                               (cost + sending) × (1 + margin) × (1 + VAT)
//
// Tiers have a markup for each base before VAT, in the place of Markup. Categories have one for a
// branch, in the place of that or added to it; to NoMSRP only what is added counts. Fixed costs of
// sending × (1 + VAT) are added to the price where Shipping says so.
type PriceRule struct {
	Base      string          // BaseMSRP or BaseCost
	Markup    decimal.Decimal //
	Add       decimal.Decimal // in the shop's currency
	VAT       decimal.Decimal
	NetMSRP   bool             // the msrp is without VAT
	NoMSRP    *decimal.Decimal // the markup on the cost of a variant without msrp; nil: it is refused
	Ending    *Ending          // nil: none
	MinMargin *decimal.Decimal // nil: the floor is cost × (1 + VAT)

	Tiers      []Tier           // sorted, without a gap; empty: Markup is that of every base
	Categories []CategoryMarkup // the deepest branch that fits counts
	Shipping   ShippingCosts
	Country    string // the group of countries of the fixed costs
	Whole      bool   // the shop takes no fractions of its currency: a price is rounded up
}

// A Quote is a price and the sums that led to it.
type Quote struct {
	Price decimal.Decimal
	Floor decimal.Decimal // zero where the cost is not known
	Lacks string          // what is not known of the product and left out of the price, "" for nothing

	steps []string
}

func (q *Quote) tell(format string, args ...any) {
	q.steps = append(q.steps, fmt.Sprintf(format, args...))
}

// Steps is a short sentence for each sum, in the words of the settings.
func (q Quote) Steps() []string { return slices.Clone(q.steps) }

// A Pricer quotes for the variants of one product.
type Pricer struct {
	rule     PriceRule
	category *CategoryMarkup // that fits; nil: none
	fixed    decimal.Decimal // the fixed costs of sending that count
	lacks    string          // why the terms are not enough, "" where they are

	// Most variants have the figures of the one before.
	cost, msrp string
	asked      bool
	quote      Quote
	err        error
}

// For is the rule for one product, with the supplier's terms of it.
func (r PriceRule) For(t store.Terms) *Pricer {
	p := &Pricer{rule: r}
	p.category, p.lacks = r.categoryOf(t)
	fixed, lacks := r.fixedCosts(t)
	if p.fixed = fixed; p.lacks == "" {
		p.lacks = lacks
	}
	return p
}

// NeedsTerms reports whether prices depend on the terms of a product beside its figures.
func (r PriceRule) NeedsTerms() bool { return len(r.Categories) > 0 || r.countsSending() }

func (r PriceRule) countsSending() bool {
	return r.Shipping == ShippingAdd || r.Shipping == ShippingFloor
}

// Quote is the price of a variant: cost and msrp are decimals, each of which may be empty. The error
// says why it cannot be sold.
func (p *Pricer) Quote(cost, msrp string) (Quote, error) {
	if !p.asked || cost != p.cost || msrp != p.msrp {
		p.asked, p.cost, p.msrp = true, cost, msrp
		p.quote, p.err = p.sum(cost, msrp)
	}
	return p.quote, p.err
}

// sum applies the rules in their order. A new one goes here, with the sentence that explains it.
func (p *Pricer) sum(cost, msrp string) (Quote, error) {
	r, q := p.rule, Quote{Lacks: p.lacks}
	b, err := r.basisOf(cost, msrp)
	if err != nil {
		return Quote{}, err
	}
	p.markUp(&q, b)
	if r.Shipping == ShippingAdd && !p.fixed.IsZero() {
		q.Price = q.Price.Add(p.fixed.Mul(factor(r.VAT))).Round(2)
		q.tell("fixed costs of sending to %s %s × (1 + %s %% VAT) on top = %s",
			r.Country, p.fixed, r.VAT, q.Price.StringFixed(2))
	}
	if q.Lacks != "" {
		q.tell("left out: %s = %s", q.Lacks, q.Price.StringFixed(2))
	}
	if !b.paid.IsZero() {
		p.raise(&q, b.paid)
	}
	if !q.Price.IsPositive() { // an ending would make it a price near zero
		return Quote{}, errors.New("its price would not be above zero")
	}
	if e := r.Ending; e != nil {
		q.Price = e.After(q.Price)
		q.tell("up to the next ending %s = %s", e.Fraction.StringFixed(2), q.Price.StringFixed(2))
	}
	if r.Whole && !q.Price.IsInteger() {
		q.Price = q.Price.Ceil()
		q.tell("up to a whole amount, as the shop takes no fractions = %s", q.Price.StringFixed(2))
	}
	return q, nil
}

// A basis is what a price is made from.
type basis struct {
	name   string // BaseMSRP or BaseCost
	amount decimal.Decimal
	markup decimal.Decimal
	gross  bool            // VAT is in the amount
	lacks  bool            // it replaces a missing msrp
	paid   decimal.Decimal // the cost; zero: not known
}

func (r PriceRule) basisOf(cost, msrp string) (b basis, err error) {
	paid, badCost := parseAmount(cost)
	usual, badMSRP := parseAmount(msrp)
	b = basis{name: BaseCost, amount: paid, markup: r.Markup, paid: paid}
	switch {
	case r.Base == BaseCost:
	case badMSRP != nil:
		return b, errors.New("its msrp is not a price")
	case !usual.IsZero():
		b.name, b.amount, b.gross = BaseMSRP, usual, !r.NetMSRP
	case r.NoMSRP == nil:
		return b, errors.New("it has no msrp to make a price from (PUBSYNC_PRICE_NO_MSRP=cost makes it from the cost)")
	default:
		b.lacks, b.markup = true, *r.NoMSRP
	}
	switch {
	case badCost != nil:
		return b, errors.New("its cost is not a price")
	case b.amount.IsZero() && b.lacks:
		return b, errors.New("it has neither an msrp nor a cost to make a price from")
	case b.amount.IsZero():
		return b, errors.New("it has no cost to make a price from")
	case r.MinMargin != nil && paid.IsZero():
		return b, errors.New("its cost is not known, so the margin cannot be kept")
	}
	return b, nil
}

// markUp makes a price of the basis, by the markup of its tier or category.
func (p *Pricer) markUp(q *Quote, b basis) {
	r, vat, taxed := p.rule, factor(p.rule.VAT), fmt.Sprintf(" × (1 + %s %% VAT)", p.rule.VAT)
	net := b.amount
	switch {
	case b.gross:
		q.tell("the msrp includes VAT and is not taxed again")
		if taxed = ""; r.VAT.IsPositive() {
			net = net.Div(vat)
		}
	case b.lacks:
		q.tell("it has no msrp, so that its price is made from its cost")
	case b.name == BaseMSRP:
		q.tell("the msrp is without VAT")
	}
	c := p.category
	if c != nil && b.lacks && !c.Added {
		c = nil
	}
	tier := slices.IndexFunc(r.Tiers, func(t Tier) bool { return t.To == nil || net.LessThan(*t.To) })
	if tier >= 0 && !b.lacks && (c == nil || c.Added) {
		b.markup = r.Tiers[tier].Markup
		q.tell("the tier of a base of %s before VAT has a markup of %s %%", r.Tiers[tier], b.markup)
	}
	switch {
	case c == nil:
	case c.Added:
		q.tell("the category %s adds %s %% to the markup of %s %%", c.Path, c.Markup, b.markup)
		b.markup = b.markup.Add(c.Markup)
	default:
		q.tell("the category %s has a markup of %s %%", c.Path, c.Markup)
		b.markup = c.Markup
	}
	q.Price = b.amount.Mul(factor(b.markup))
	if !b.gross {
		q.Price = q.Price.Mul(vat)
	}
	q.Price = q.Price.Add(r.Add).Round(2)
	q.tell("%s %s × (1 + %s %%)%s + %s = %s", b.name, b.amount, b.markup, taxed, r.Add, q.Price.StringFixed(2))
}

func (p *Pricer) raise(q *Quote, paid decimal.Decimal) {
	r, margin := p.rule, decimal.Zero
	if r.MinMargin != nil {
		margin = *r.MinMargin
	}
	q.Floor = paid.Add(p.fixed).Mul(factor(margin)).Mul(factor(r.VAT)).RoundCeil(2)
	if !q.Price.LessThan(q.Floor) {
		return
	}
	q.Price = q.Floor
	of := "cost " + paid.String()
	if !p.fixed.IsZero() {
		of = fmt.Sprintf("(cost %s + fixed costs of sending to %s %s)", paid, r.Country, p.fixed)
	}
	q.tell("raised to the floor, %s × (1 + %s %%) × (1 + %s %% VAT) = %s", of, margin, r.VAT, q.Floor.StringFixed(2))
}

// floorText names the floor of a quote in the words of the settings.
func (r PriceRule) floorText(floor decimal.Decimal) string {
	if r.MinMargin == nil {
		return "its cost with VAT, " + floor.StringFixed(2)
	}
	return fmt.Sprintf("its cost with VAT and %s %% of margin, %s", r.MinMargin, floor.StringFixed(2))
}

// usual is the usual price of a variant and its name: the msrp, or without one the cost, each with
// VAT. It is zero where neither is known.
func (r PriceRule) usual(cost, msrp string) (amount decimal.Decimal, name string) {
	name = "msrp with VAT"
	amount, err := parseAmount(msrp)
	if err != nil || amount.IsZero() {
		name = "cost with VAT"
		amount, _ = parseAmount(cost) //nolint:errcheck // zero is not known
	} else if !r.NetMSRP {
		return amount, name
	}
	return amount.Mul(factor(r.VAT)), name
}

// Margin is what a price leaves above a cost, in percent of that cost: price ÷ (1 + VAT) ÷ cost − 1.
// The rule's minimum is a margin in the same sense. ok is false where the cost or the price is not
// known. It is for lists and sorting, and no price is made from it.
func (r PriceRule) Margin(price, cost string) (percent float64, ok bool) {
	gross, err := decimal.NewFromString(price)
	paid, wrong := decimal.NewFromString(cost)
	if err != nil || wrong != nil || !paid.IsPositive() {
		return 0, false
	}
	return (gross.InexactFloat64()/(1+r.VAT.InexactFloat64()/100)/paid.InexactFloat64() - 1) * 100, true
}

// fixedCosts is what the supplier asks for sending to the rule's country. lacks says why that is
// not known, "" where it is.
func (r PriceRule) fixedCosts(t store.Terms) (costs decimal.Decimal, lacks string) {
	if !r.countsSending() {
		return costs, ""
	}
	known := func(d store.Delivery) bool {
		_, err := parseAmount(d.Costs)
		return err == nil && d.Costs != ""
	}
	to := slices.DeleteFunc(deliveriesTo(t.Delivery, r.Country), func(d store.Delivery) bool { return !known(d) })
	for _, d := range to {
		amount, _ := parseAmount(d.Costs) //nolint:errcheck // it is known
		costs = decimal.Max(costs, amount)
	}
	if len(to) > 0 {
		return costs, ""
	}
	lacks = fmt.Sprintf("the supplier's fixed costs of sending to %s are not known (PUBSYNC_PRICE_SHIPPING=%s)",
		r.Country, r.Shipping)
	const few = 5
	var groups []string
	for _, d := range t.Delivery {
		if known(d) && d.Group != "" && len(groups) < few {
			groups = append(groups, d.Group)
		}
	}
	if len(groups) > 0 {
		lacks += ", those to " + strings.Join(groups, ", ") + " are"
	}
	return costs, lacks
}

// deliveriesTo is the deliveries to a country: to the group of that name, else to the groups that
// list it, as NL, BE does.
func deliveriesTo(all []store.Delivery, country string) (to []store.Delivery) {
	is := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(country)) }
	isMark := func(r rune) bool { return strings.ContainsRune(",;/|", r) }
	lists := func(group string) bool { return slices.ContainsFunc(strings.FieldsFunc(group, isMark), is) }
	for _, fits := range []func(group string) bool{is, lists} {
		for _, d := range all {
			if fits(d.Group) {
				to = append(to, d)
			}
		}
		if len(to) > 0 {
			break
		}
	}
	return to
}

var hundred = decimal.NewFromInt(100)

func factor(percent decimal.Decimal) decimal.Decimal { return hundred.Add(percent).Shift(-2) }

// Check is why a rule that came from outside cannot make a price.
func (r PriceRule) Check() error {
	if r.Ending != nil && !r.Ending.Step.IsPositive() {
		return errors.New("the ending says nothing of the distance between two prices")
	}
	return nil
}
