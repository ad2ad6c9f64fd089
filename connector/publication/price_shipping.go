package publication

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// ShippingCosts is what becomes of the supplier's fixed costs of sending.
type ShippingCosts string

// The choices. The zero ShippingCosts is ShippingOff.
const (
	ShippingOff   ShippingCosts = "off"   // the customer is asked for them beside the price, or nobody is
	ShippingAdd   ShippingCosts = "add"   // they are in the price, and in its floor
	ShippingFloor ShippingCosts = "floor" // they are in the floor alone
)

// needs reports whether prices depend on the fixed costs.
func (s ShippingCosts) needs() bool { return s == ShippingAdd || s == ShippingFloor }

// fixedCosts is what the supplier asks for sending to the rule's country. lacks says why that is
// not known, "" where it is.
func (r PriceRule) fixedCosts(t store.Terms) (costs decimal.Decimal, lacks string) {
	if !r.Shipping.needs() {
		return costs, ""
	}
	known := false
	for _, d := range deliveriesTo(t.Delivery, r.Country) {
		amount, err := parseAmount(d.Costs)
		if err != nil || d.Costs == "" {
			continue
		}
		costs, known = decimal.Max(costs, amount), true
	}
	if known {
		return costs, ""
	}
	lacks = fmt.Sprintf("the supplier's fixed costs of sending to %s are not known (PUBSYNC_PRICE_SHIPPING=%s)",
		r.Country, r.Shipping)
	if groups := groupsOf(t.Delivery); groups != "" {
		lacks += ", those to " + groups + " are"
	}
	return decimal.Zero, lacks
}

// deliveriesTo is the deliveries to a country: to the group of that name, else to the groups that
// list it, as NL, BE does.
func deliveriesTo(all []store.Delivery, country string) (to []store.Delivery) {
	country = strings.TrimSpace(country)
	for _, names := range []func(group string) bool{
		func(group string) bool { return strings.EqualFold(strings.TrimSpace(group), country) },
		func(group string) bool {
			return slices.ContainsFunc(strings.FieldsFunc(group, isListMark), func(name string) bool {
				return strings.EqualFold(strings.TrimSpace(name), country)
			})
		},
	} {
		for _, d := range all {
			if names(d.Group) {
				to = append(to, d)
			}
		}
		if len(to) > 0 {
			return to
		}
	}
	return nil
}

func isListMark(r rune) bool { return r == ',' || r == ';' || r == '/' || r == '|' }

// groupsOf names the groups of countries to which the costs are known: a few of them.
func groupsOf(all []store.Delivery) string {
	const few = 5
	var names []string
	for _, d := range all {
		if _, err := parseAmount(d.Costs); err == nil && d.Costs != "" && d.Group != "" && len(names) < few {
			names = append(names, d.Group)
		}
	}
	return strings.Join(names, ", ")
}
