package publication

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// mayShow judges the price of a variant: one that was shown before by the last one, any other by what a consumer would
// expect to pay. It reports false where the variant must not be in the product.
func (m *mapper) mayShow(
	d *desired, v *shopadapter.Variant, given marketplace.Variant, written map[string]store.Variant, q Quote, r store.Record,
) bool {
	w, shown := written[v.ID]
	switch {
	case !shown:
		return !m.holdFirst(d, *v, given, q, r)
	case !m.rules.Keep.Has(shopadapter.FieldPrice):
		m.holdPrice(d, v, w, q, r)
	}
	return true
}

// holdPrice withholds a price that moves too far: the variant keeps all the figures last written, so that nothing of the suspect change shows, and
// is sold out while its old price lies below the new floor.
func (m *mapper) holdPrice(d *desired, v *shopadapter.Variant, w store.Variant, q Quote, r store.Record) {
	old, err := decimal.NewFromString(w.Price)
	if err != nil || !m.brake.priceMoves(old, q.Price) {
		return
	}
	h := store.Hold{Kind: store.HoldPrice, Variant: v.ID, Old: w.Price, New: v.Price}
	if approved(r.Approved, h) {
		return
	}
	h.Reason = fmt.Sprintf("the price of %s would move from %s to %s, more than %s %%", nameOf(d.titles[v.ID], v.ID), w.Price, v.Price, m.brake.PricePercent)
	d.holds = append(d.holds, h)
	v.Price, v.Cost, v.MSRP = w.Price, w.Cost, w.MSRP
	if old.LessThan(q.Floor) {
		v.Quantity, v.Backorders = 0, false
	}
}

// holdFirst withholds the first price of a variant that lies far from what a consumer would expect to pay: a percentage
// or an ending that nobody meant sells everything at such prices, and no earlier price tells.
func (m *mapper) holdFirst(
	d *desired, v shopadapter.Variant, given marketplace.Variant, q Quote, r store.Record,
) (held bool) {
	far := m.brake.farFromUsual(m.rules.Price, q.Price, given)
	h := store.Hold{Kind: store.HoldFirstPrice, Variant: v.ID, New: v.Price}
	if far == "" || approved(r.Approved, h) {
		return false
	}
	sum, err := m.rules.Price.Explain(given.Cost, given.MSRP)
	if err != nil { // it was made a moment ago
		return false
	}
	h.Reason = fmt.Sprintf("the first price of %s would be %s, %s: %s",
		nameOf(d.titles[v.ID], v.ID), v.Price, far, strings.Join(sum.Steps, "; "))
	d.holds = append(d.holds, h)
	return true
}

// farFromUsual says in which way a first price lies outside of the bounds, "" where it does not. A merchant whose prices
// are made from the cost may sell below the msrp as far as the floor lets them.
func (b Brake) farFromUsual(rule PriceRule, price decimal.Decimal, v marketplace.Variant) string {
	usual, name := rule.usual(v.Cost, v.MSRP)
	switch {
	case !b.FirstPrice.Most.IsPositive() || !usual.IsPositive():
		return ""
	case price.GreaterThan(usual.Mul(b.FirstPrice.Most).RoundCeil(2)):
		return fmt.Sprintf("more than %s times its %s of %s", b.FirstPrice.Most, name, twoPlaces{usual})
	case rule.Base != BaseCost && price.LessThan(usual.Mul(b.FirstPrice.Least).RoundFloor(2)):
		return fmt.Sprintf("less than %s times its %s of %s", b.FirstPrice.Least, name, twoPlaces{usual})
	default:
		return ""
	}
}

// withholdsAll reports whether what is desired must not reach the shop at all: one of its first prices is held, and the
// shop is not known to show the product, or would show nothing of it. What may be on sale stays as it is.
func withholdsAll(d desired, r store.Record) bool {
	first := slices.ContainsFunc(d.holds, func(h store.Hold) bool { return h.Kind == store.HoldFirstPrice })
	return first && (len(writtenVariants(r)) == 0 || len(d.product.Variants) == 0)
}
