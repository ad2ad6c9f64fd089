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
	// Whole says that the shop takes no fractions of its currency: a price is rounded up.
	Whole bool
}

// A Quote is a price and the sums that led to it. It keeps numbers and makes no text before it is
// asked: most quotes are never read.
type Quote struct {
	Price decimal.Decimal
	Floor decimal.Decimal // zero where the cost is not known
	Lacks string          // what is not known of the product and left out of the price, "" for nothing

	steps []step
}

type step struct {
	format string
	args   []any
}

func (q *Quote) tell(format string, args ...any) { q.steps = append(q.steps, step{format, args}) }

// Steps is a short sentence for each sum, in the words of the settings.
func (q Quote) Steps() []string {
	lines := make([]string, len(q.steps))
	for i, s := range q.steps {
		lines[i] = fmt.Sprintf(s.format, s.args...)
	}
	return lines
}

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
	var branch, costs string
	p.category, branch = r.categoryOf(t)
	p.fixed, costs = r.fixedCosts(t)
	if p.lacks = branch; branch == "" {
		p.lacks = costs
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

func (p *Pricer) sum(cost, msrp string) (Quote, error) {
	r := p.rule
	b, err := p.base(cost, msrp)
	if err != nil {
		return Quote{}, err
	}
	paid, err := parseAmount(cost)
	switch {
	case err != nil:
		return Quote{}, errors.New("its cost is not a price")
	case r.MinMargin != nil && paid.IsZero():
		return Quote{}, errors.New("its cost is not known, so the margin cannot be kept")
	}
	q := Quote{Lacks: p.lacks}
	q.begin(b, r)
	if r.Shipping == ShippingAdd && !p.fixed.IsZero() {
		q.Price = q.Price.Add(p.fixed.Mul(factor(r.VAT))).Round(2)
		q.tell("fixed costs of sending to %s %s × (1 + %s %% VAT) on top = %s", r.Country, p.fixed, r.VAT, cents{q.Price})
	}
	if q.Lacks != "" {
		q.tell("left out: %s = %s", q.Lacks, cents{q.Price})
	}
	if !paid.IsZero() {
		q.raise(paid, p.fixed, r)
	}
	if !q.Price.IsPositive() { // an ending would make it a price near zero
		return Quote{}, errors.New("its price would not be above zero")
	}
	if e := r.Ending; e != nil {
		q.Price = e.After(q.Price)
		q.tell("up to the next ending %s = %s", cents{e.Fraction}, cents{q.Price})
	}
	if r.Whole && !q.Price.IsInteger() {
		q.Price = q.Price.Ceil()
		q.tell("up to a whole amount, as the shop takes no fractions = %s", cents{q.Price})
	}
	return q, nil
}

// begin is the price that the base makes.
func (q *Quote) begin(b basis, r PriceRule) {
	taxed := fmt.Sprintf(" × (1 + %s %% VAT)", r.VAT)
	q.Price = b.amount.Mul(factor(b.markup))
	switch {
	case b.gross:
		q.tell("the msrp includes VAT and is not taxed again")
		taxed = ""
	case b.lacks:
		q.tell("it has no msrp, so that its price is made from its cost")
	case b.name == BaseMSRP:
		q.tell("the msrp is without VAT")
	}
	if !b.gross {
		q.Price = q.Price.Mul(factor(r.VAT))
	}
	q.Price = q.Price.Add(r.Add).Round(2)
	switch c := b.category; {
	case b.tier != nil:
		q.tell("the tier of a base of %s before VAT has a markup of %s %%", b.tier, b.tier.Markup)
	case c != nil && !c.Added:
		q.tell("the category %s has a markup of %s %%", c.Path, c.Markup)
	}
	if c := b.category; c != nil && c.Added {
		q.tell("the category %s adds %s %% to the markup of %s %%", c.Path, c.Markup, b.markup.Sub(c.Markup))
	}
	q.tell("%s %s × (1 + %s %%)%s + %s = %s", b.name, b.amount, b.markup, taxed, r.Add, cents{q.Price})
}

// raise raises the price to the floor.
func (q *Quote) raise(paid, fixed decimal.Decimal, r PriceRule) {
	margin := decimal.Zero
	if r.MinMargin != nil {
		margin = *r.MinMargin
	}
	q.Floor = paid.Add(fixed).Mul(factor(margin)).Mul(factor(r.VAT)).RoundCeil(2)
	if !q.Price.LessThan(q.Floor) {
		return
	}
	q.Price = q.Floor
	of := "cost " + paid.String()
	if !fixed.IsZero() {
		of = fmt.Sprintf("(cost %s + fixed costs of sending to %s %s)", paid, r.Country, fixed)
	}
	q.tell("raised to the floor, %s × (1 + %s %%) × (1 + %s %% VAT) = %s", of, margin, r.VAT, cents{q.Floor})
}

// floorText names the floor of a quote in the words of the settings.
func (r PriceRule) floorText(floor decimal.Decimal) string {
	if r.MinMargin == nil {
		return "its cost with VAT, " + floor.StringFixed(2)
	}
	return fmt.Sprintf("its cost with VAT and %s %% of margin, %s", r.MinMargin, floor.StringFixed(2))
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

func (p *Pricer) base(cost, msrp string) (basis, error) {
	r := p.rule
	b, err := r.baseOf(cost, msrp)
	if err != nil {
		return b, err
	}
	net := b.amount
	if b.gross && r.VAT.IsPositive() {
		net = net.Div(factor(r.VAT))
	}
	i := slices.IndexFunc(r.Tiers, func(t Tier) bool { return t.To == nil || net.LessThan(*t.To) })
	if i >= 0 && !b.lacks {
		b.tier, b.markup = &r.Tiers[i], r.Tiers[i].Markup
	}
	switch c := p.category; {
	case c == nil, b.lacks && !c.Added:
	case c.Added:
		b.category, b.markup = c, b.markup.Add(c.Markup)
	default:
		b.category, b.tier, b.markup = c, nil, c.Markup
	}
	return b, nil
}

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
	amount, err := parseAmount(cost)
	switch b.amount = amount; {
	case err != nil:
		return b, errors.New("its cost is not a price")
	case !amount.IsZero():
		return b, nil
	case b.lacks:
		return b, errors.New("it has neither an msrp nor a cost to make a price from")
	default:
		return b, errors.New("it has no cost to make a price from")
	}
}

// usual is the usual price of a variant and its name: the msrp, or without one the cost, each with
// VAT. It is zero where neither is known.
func (r PriceRule) usual(cost, msrp string) (amount decimal.Decimal, name string) {
	switch amount, err := parseAmount(msrp); {
	case err == nil && amount.IsPositive() && !r.NetMSRP:
		return amount, "msrp with VAT"
	case err == nil && amount.IsPositive():
		return amount.Mul(factor(r.VAT)), "msrp with VAT"
	}
	paid, err := parseAmount(cost)
	if err != nil {
		return decimal.Zero, ""
	}
	return paid.Mul(factor(r.VAT)), "cost with VAT"
}

// categoryOf is the markup of the deepest branch that a product stands in, nil for none. lacks says
// why that is not known, "" where it is.
func (r PriceRule) categoryOf(t store.Terms) (markup *CategoryMarkup, lacks string) {
	deepest := 0
	for i, c := range r.Categories {
		if depth := c.Path.Depth(t.Branch); depth > deepest {
			deepest, markup = depth, &r.Categories[i]
		}
	}
	if len(r.Categories) > 0 && deepest == 0 && unplaced(t) {
		return nil, unplacedText(t, "PUBSYNC_PRICE_CATEGORIES")
	}
	return markup, ""
}

// unplaced reports whether a product has a category of which those above it are not known.
func unplaced(t store.Terms) bool { return t.Rootless && len(t.Branch) > 0 }

func unplacedText(t store.Terms, setting string) string {
	return "the marketplace does not show yet which branch its category " + t.Branch[0] + " stands in, and " + setting +
		" goes by that"
}

// fixedCosts is what the supplier asks for sending to the rule's country. lacks says why that is
// not known, "" where it is.
func (r PriceRule) fixedCosts(t store.Terms) (costs decimal.Decimal, lacks string) {
	if !r.countsSending() {
		return costs, ""
	}
	known := false
	for _, d := range deliveriesTo(t.Delivery, r.Country) {
		if amount, err := parseAmount(d.Costs); err == nil && d.Costs != "" {
			costs, known = decimal.Max(costs, amount), true
		}
	}
	if known {
		return costs, ""
	}
	lacks = fmt.Sprintf("the supplier's fixed costs of sending to %s are not known (PUBSYNC_PRICE_SHIPPING=%s)",
		r.Country, r.Shipping)
	const few = 5
	var groups []string
	for _, d := range t.Delivery {
		if _, err := parseAmount(d.Costs); err == nil && d.Costs != "" && d.Group != "" && len(groups) < few {
			groups = append(groups, d.Group)
		}
	}
	if len(groups) > 0 {
		lacks += ", those to " + strings.Join(groups, ", ") + " are"
	}
	return decimal.Zero, lacks
}

// deliveriesTo is the deliveries to a country: to the group of that name, else to the groups that
// list it, as NL, BE does.
func deliveriesTo(all []store.Delivery, country string) (to []store.Delivery) {
	is := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(country)) }
	isMark := func(r rune) bool { return strings.ContainsRune(",;/|", r) }
	for _, fits := range []func(group string) bool{
		is, func(group string) bool { return slices.ContainsFunc(strings.FieldsFunc(group, isMark), is) },
	} {
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

// cents is an amount that is printed with two decimals.
type cents struct{ amount decimal.Decimal }

func (c cents) String() string { return c.amount.StringFixed(2) }

var hundred = decimal.NewFromInt(100)

func factor(percent decimal.Decimal) decimal.Decimal { return hundred.Add(percent).Shift(-2) }

// Check is why a rule that came from outside cannot make a price.
func (r PriceRule) Check() error {
	if r.Ending != nil && !r.Ending.Step.IsPositive() {
		return errors.New("the ending says nothing of the distance between two prices")
	}
	return nil
}
