package publication

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

const (
	BaseMSRP = "msrp" // the recommended consumer price
	BaseCost = "cost" // what the retailer pays
)

// ShippingCosts is what becomes of the supplier's fixed costs of sending.
type ShippingCosts string

const (
	ShippingOff   ShippingCosts = "off"   // they are no part of the price
	ShippingAdd   ShippingCosts = "add"   // they are in the price and its floor
	ShippingFloor ShippingCosts = "floor" // they are in the floor alone
)

// A PriceRule turns the supplier's figures into the shop's price. It raises that to the floor, up to the next price
// with the ending, and to a whole unit of the shop's. Percentages are whole numbers: 21 is 21 %.
//
//	base is the msrp, which includes VAT    msrp × (1 + markup) + add
//	base is the msrp, without VAT           msrp × (1 + markup) × (1 + VAT) + add
//	base is the cost                        cost × (1 + markup) × (1 + VAT) + add
//	no msrp, NoMSRP is set                  cost × (1 + NoMSRP) × (1 + VAT) + add
//	the floor                               (cost + sending) × (1 + margin) × (1 + VAT)
//
// The tier of a base before VAT replaces Markup. The markup of a category replaces that or is added to it; to NoMSRP
// only what is added counts. Shipping may add the fixed costs of sending × (1 + VAT).
type PriceRule struct {
	Base      string // BaseMSRP or BaseCost
	Markup    decimal.Decimal
	Add       decimal.Decimal // in the shop's currency
	VAT       decimal.Decimal
	NetMSRP   bool
	NoMSRP    *decimal.Decimal // markup on the cost of a variant without msrp; nil: it is refused
	Ending    *Ending
	MinMargin *decimal.Decimal // nil: the floor is cost × (1 + VAT)

	Tiers      []Tier           // sorted, without a gap; empty: Markup counts
	Categories []CategoryMarkup // the deepest branch that fits counts
	Shipping   ShippingCosts
	Country    string // the group of countries whose fixed costs count
	Whole      bool   // a price is rounded up: the shop takes no fractions
}

// A Quote is a price and the sums that led to it.
type Quote struct {
	Price decimal.Decimal
	Floor decimal.Decimal // zero where the cost is not known
	Lacks string          // what is not known and left out of the price, "" for nothing
	Steps []string        // a sentence for each sum, in the words of the settings
}

func (q *Quote) tell(format string, args ...any) {
	q.Steps = append(q.Steps, fmt.Sprintf(format, args...))
}

func (q *Quote) becomes(price decimal.Decimal, format string, args ...any) {
	q.Price = price
	q.tell(format+" = %s", append(args, price.StringFixed(2))...)
}

// A Pricer quotes for the variants of one product.
type Pricer struct {
	rule     PriceRule
	category *CategoryMarkup
	fixed    decimal.Decimal // costs of sending that count
	lacks    string
}

// For returns the rule with a product's terms.
func (r PriceRule) For(t store.Terms) *Pricer {
	category, lacks := r.categoryOf(t)
	fixed, unknown := r.fixedCosts(t)
	return &Pricer{rule: r, category: category, fixed: fixed, lacks: cmp.Or(lacks, unknown)}
}

// NeedsTerms reports whether prices depend on the terms.
func (r PriceRule) NeedsTerms() bool { return len(r.Categories) > 0 || r.countsSending() }

func (r PriceRule) countsSending() bool {
	return r.Shipping == ShippingAdd || r.Shipping == ShippingFloor
}

// Quote returns the price of a variant; cost and msrp are decimals or empty. The error says why it cannot be sold.
func (p *Pricer) Quote(cost, msrp string) (q Quote, err error) {
	r, vat := p.rule, factor(p.rule.VAT)
	paid, badCost := parseAmount(cost)
	usual, badMSRP := parseAmount(msrp)
	byMSRP := r.Base != BaseCost && !usual.IsZero()
	without := r.Base != BaseCost && !byMSRP // made from the cost in place of the msrp
	switch {
	case r.Base != BaseCost && badMSRP != nil:
		return q, errors.New("its msrp is not a price")
	case without && r.NoMSRP == nil:
		return q, errors.New("it has no msrp to make a price from (PUBSYNC_PRICE_NO_MSRP=cost makes it from the cost)")
	case badCost != nil:
		return q, errors.New("its cost is not a price")
	case !byMSRP && paid.IsZero():
		return q, errors.New("it has no cost to make a price from")
	case r.MinMargin != nil && paid.IsZero():
		return q, errors.New("its cost is not known, so the margin cannot be kept")
	}

	name, base, net := BaseCost, paid, paid
	taxed, tax := fmt.Sprintf(" × (1 + %s %% VAT)", r.VAT), vat
	if byMSRP {
		name, base, net = BaseMSRP, usual, usual
	}
	switch {
	case byMSRP && r.NetMSRP:
		q.tell("the msrp is without VAT")
	case byMSRP:
		if taxed, tax = "", factor(decimal.Zero); r.VAT.IsPositive() {
			net = net.Div(vat)
		}
		q.tell("the msrp includes VAT and is not taxed again")
	case without:
		q.tell("it has no msrp, so that its price is made from its cost")
	}
	markup := p.markup(&q, net, without)
	exact := base.Mul(factor(markup)).Mul(tax).Add(r.Add)
	q.becomes(exact.Round(2), "%s %s × (1 + %s %%)%s + %s", name, base, markup, taxed, r.Add)
	if r.Shipping == ShippingAdd && !p.fixed.IsZero() {
		q.becomes(exact.Add(p.fixed.Mul(vat)).Round(2),
			"fixed costs of sending to %s %s × (1 + %s %% VAT) on top", r.Country, p.fixed, r.VAT)
	}
	if q.Lacks = p.lacks; q.Lacks != "" {
		q.becomes(q.Price, "left out: %s", q.Lacks)
	}
	margin, of := decimal.Zero, "cost "+paid.String()
	if r.MinMargin != nil {
		margin = *r.MinMargin
	}
	if !p.fixed.IsZero() {
		of = fmt.Sprintf("(cost %s + fixed costs of sending to %s %s)", paid, r.Country, p.fixed)
	}
	if !paid.IsZero() {
		q.Floor = paid.Add(p.fixed).Mul(factor(margin)).Mul(vat).RoundCeil(2)
	}
	if q.Price.LessThan(q.Floor) {
		q.becomes(q.Floor, "raised to the floor, %s × (1 + %s %%) × (1 + %s %% VAT)", of, margin, r.VAT)
	}
	if !q.Price.IsPositive() { // an ending would make it a price near zero
		return Quote{}, errors.New("its price would not be above zero")
	}
	if e := r.Ending; e != nil {
		q.becomes(e.After(q.Price), "up to the next ending %s", e.StringFixed(2))
	}
	if r.Whole && !q.Price.IsInteger() {
		q.becomes(q.Price.Ceil(), "up to a whole amount, as the shop takes no fractions")
	}
	return q, nil
}

// markup takes a base before VAT; without means that the cost replaces an msrp.
func (p *Pricer) markup(q *Quote, net decimal.Decimal, without bool) decimal.Decimal {
	c, markup := p.category, p.rule.Markup
	if without {
		markup = *p.rule.NoMSRP
	}
	for _, t := range p.rule.Tiers {
		if !without && (c == nil || c.Added) && (t.To == nil || net.LessThan(*t.To)) {
			markup = t.Markup
			q.tell("the tier of a base of %s before VAT has a markup of %s %%", t, markup)
			break
		}
	}
	switch {
	case c == nil || without && !c.Added:
		return markup
	case c.Added:
		q.tell("the category %s adds %s %% to the markup of %s %%", c.Path, c.Markup, markup)
		return markup.Add(c.Markup)
	}
	q.tell("the category %s has a markup of %s %%", c.Path, c.Markup)
	return c.Markup
}

func (r PriceRule) floorText(floor decimal.Decimal) string {
	if r.MinMargin == nil {
		return "its cost with VAT, " + floor.StringFixed(2)
	}
	return fmt.Sprintf("its cost with VAT and %s %% of margin, %s", r.MinMargin, floor.StringFixed(2))
}

// usual returns the msrp, else the cost, each with VAT.
func (r PriceRule) usual(cost, msrp string) (amount decimal.Decimal, name string) {
	amount = amountOf(msrp)
	switch {
	case amount.IsZero():
		return amountOf(cost).Mul(factor(r.VAT)), "cost with VAT"
	case r.NetMSRP:
		amount = amount.Mul(factor(r.VAT))
	}
	return amount, "msrp with VAT"
}

// Margin returns what a price without VAT leaves beyond a cost, in percent of that price; the margins of the settings
// are in percent of the cost. No price is made from it.
func (r PriceRule) Margin(price, cost string) (percent float64, ok bool) {
	net, paid := amountOf(price).Div(factor(r.VAT)), amountOf(cost)
	if !net.IsPositive() || !paid.IsPositive() {
		return 0, false
	}
	return net.Sub(paid).Mul(hundred).Div(net).InexactFloat64(), true
}

func (r PriceRule) margin(price, paid decimal.Decimal) (percent decimal.Decimal, ok bool) {
	if tax := factor(r.VAT); paid.IsPositive() && tax.IsPositive() {
		return price.Div(tax).Sub(paid).Mul(hundred).Div(paid), true
	}
	return decimal.Zero, false
}

// fixedCosts returns the supplier's costs of sending to the rule's country. lacks says why they are not known.
func (r PriceRule) fixedCosts(t store.Terms) (costs decimal.Decimal, lacks string) {
	if !r.countsSending() {
		return costs, ""
	}
	lacks = fmt.Sprintf("the supplier's fixed costs of sending to %s are not known (PUBSYNC_PRICE_SHIPPING=%s)",
		r.Country, r.Shipping)
	for _, d := range deliveriesTo(t.Delivery, r.Country) {
		if amount, err := parseAmount(d.Costs); err == nil && d.Costs != "" {
			costs, lacks = decimal.Max(costs, amount), ""
		}
	}
	return costs, lacks
}

// deliveriesTo prefers the group of the country's name to groups that list it, as NL, BE does.
func deliveriesTo(all []store.Delivery, country string) []store.Delivery {
	is := func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(country)) }
	isMark := func(r rune) bool { return strings.ContainsRune(",;/|", r) }
	lists := func(name string) bool { return slices.ContainsFunc(strings.FieldsFunc(name, isMark), is) }
	for _, fits := range []func(string) bool{is, lists} {
		to := slices.DeleteFunc(slices.Clone(all), func(d store.Delivery) bool { return !fits(d.Group) })
		if len(to) > 0 {
			return to
		}
	}
	return nil
}

var hundred = decimal.NewFromInt(100)

func factor(percent decimal.Decimal) decimal.Decimal { return hundred.Add(percent).Shift(-2) }

// Depth returns how deep in a branch from the root the path's last level stands, from 1 on; 0: in another branch.
func (p CategoryPath) Depth(branch []string) int {
	levels := strings.Split(string(p), "/")
	for end := len(branch); end >= len(levels); end-- {
		above, fits := "", true
		for i, path := range branch[end-len(levels) : end] {
			path = categoryWord(path)
			fits = fits && (path == levels[i] || i > 0 && path == above+"_"+levels[i])
			above = path
		}
		if fits {
			return end
		}
	}
	return 0
}

func (r PriceRule) categoryOf(t store.Terms) (markup *CategoryMarkup, lacks string) {
	deepest := 0
	for i, c := range r.Categories {
		if depth := c.Path.Depth(t.Branch); depth > deepest {
			deepest, markup = depth, &r.Categories[i]
		}
	}
	if len(r.Categories) > 0 && deepest == 0 {
		lacks = unplaced(t, "PUBSYNC_PRICE_CATEGORIES")
	}
	return markup, lacks
}

func unplaced(t store.Terms, setting string) string {
	if !t.Rootless || len(t.Branch) == 0 {
		return ""
	}
	return "the marketplace does not show yet which branch its category " + t.Branch[0] + " stands in, and " + setting +
		" goes by that"
}

// Unmeant warns of rules for a category, by its last level, that the marketplace's tree lacks.
func (r Rules) Unmeant(tree []marketplace.CategoryNode) (warnings []string) {
	paths := slices.Clone(r.Skip.Categories)
	for _, c := range r.Price.Categories {
		paths = append(paths, c.Path)
	}
	for _, path := range paths {
		level := "_" + string(path[strings.LastIndex(string(path), "/")+1:])
		is := func(n marketplace.CategoryNode) bool { return strings.HasSuffix("_"+categoryWord(n.Path), level) }
		if len(tree) > 0 && !slices.ContainsFunc(tree, is) {
			warnings = append(warnings, fmt.Sprintf("the marketplace has no category %s", path))
		}
	}
	return warnings
}
