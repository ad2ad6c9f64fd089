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

// lastPrices is the prices of a variant that the shop may show.
type lastPrices struct {
	settled bool       // a price was settled
	from    []string   // the price of an attempt whose end is not known, and the last settled one
	show    store.Sent // the first of from, which stays in the shop while another is held
}

// lastPricesOf is the prices that the shop may show, by variant id.
func lastPricesOf(r store.Record) map[string]lastPrices {
	last := make(map[string]lastPrices, len(r.Variants))
	for id, w := range writtenVariants(r) {
		last[id] = lastPrices{
			settled: true, from: []string{w.Price},
			show: store.Sent{Variant: id, Price: w.Price, Cost: w.Cost, MSRP: w.MSRP},
		}
	}
	for _, s := range r.Sent {
		v := last[s.Variant]
		v.from, v.show = append([]string{s.Price}, v.from...), s
		last[s.Variant] = v
	}
	return last
}

// mayShow judges the price of a variant: a variant that was shown before by its last prices, any
// other by its usual price. It returns false where the variant must not be in the product.
func (m *mapper) mayShow(
	d *desired, v *shopadapter.Variant, given marketplace.Variant, last map[string]lastPrices, q Quote, r store.Record,
) bool {
	was, shown := last[v.ID]
	switch {
	case !shown:
		return !m.holdFirst(d, *v, given, q, r)
	case was.settled && m.rules.Keep.Has(shopadapter.FieldPrice), m.stays(d, v, was, q, r),
		m.holdUnknown(d, v, was, q, r), m.holdRules(d, v, was, q, r),
		r.Ruling == store.RulingApproved && m.movedByRules(v.ID, q, r): // a person let it move as far as it does
	default:
		m.holdPrice(d, v, was, q, r)
	}
	return true
}

// stays keeps the price of a variant where a person declined the one that would take its place. It
// reports whether it does. The merchant's own price is not sold out, whatever the cost.
func (m *mapper) stays(d *desired, v *shopadapter.Variant, was lastPrices, q Quote, r store.Record) bool {
	h, ok := staysDeclined(r, v.ID, v.Price)
	if !ok || approved(r.Approved, h) {
		return false
	}
	d.declined = append(d.declined, h)
	if h.Kind == store.HoldDrift || h.Kind == store.HoldRules && v.Cost == was.show.Cost { // a changed floor alone
		v.Price, v.Cost, v.MSRP = was.show.Price, was.show.Cost, was.show.MSRP
	} else if h.Below = m.keepShown(v, was, q); h.Below != "" {
		d.holds = append(d.holds, staysSoldOut(h, v.Price))
	}
	return true
}

// holdPrice withholds a price that moves too far from one that the shop may show. The variant keeps
// all figures of the last price that passed. While that price is below the new floor, it is sold
// out.
func (m *mapper) holdPrice(d *desired, v *shopadapter.Variant, was lastPrices, q Quote, r store.Record) {
	h := store.Hold{Kind: store.HoldPrice, Variant: v.ID, New: v.Price}
	from := was.from
	if before, ok := sameHold(r.Holds, h); ok { // it stays, even where the shown price has come nearer since
		from = append(slices.Clip(from), before.Old)
	}
	i := slices.IndexFunc(from, func(s string) bool {
		old, err := decimal.NewFromString(s)
		return err == nil && m.brake.priceMoves(old, q.Price)
	})
	if i < 0 || approved(r.Approved, h) {
		return
	}
	h.Old = from[i]
	h.Reason = fmt.Sprintf("the price of %s would move from %s to %s, more than %s %%",
		nameOf(d.titles[v.ID], v.ID), h.Old, h.New, m.brake.PricePercent)
	if was.show.Price != h.Old {
		h.Reason += "; " + was.show.Price + " was let through before, and stays"
	}
	h.Cause = causeSupplier
	if suppliedBefore(r, v.ID, d.supply[v.ID]) && !movedBySupplier(r, v.ID) {
		h.Cause = causeRules
	}
	h.Below = m.keepShown(v, was, q)
	d.holds = append(d.holds, h)
}

// holdUnknown withholds a price from which something is left out that is not known now: the last
// one stays. It reports whether it does. An approval lets the price through without it.
func (m *mapper) holdUnknown(d *desired, v *shopadapter.Variant, was lastPrices, q Quote, r store.Record) bool {
	shown, err := decimal.NewFromString(was.show.Price)
	h := store.Hold{
		Kind: store.HoldPrice, Variant: v.ID, Old: was.show.Price, New: v.Price, Cause: causeUnknown,
	}
	if q.Lacks == "" || err != nil || shown.Equal(q.Price) || approved(r.Approved, h) {
		return false
	}
	h.Reason = fmt.Sprintf("the price of %s stays at %s: %s. Without that it would be %s",
		nameOf(d.titles[v.ID], v.ID), h.Old, q.Lacks, h.New)
	h.Below = m.keepShown(v, was, q)
	d.holds = append(d.holds, h)
	return true
}

// keepShown gives a variant the figures of the price that stays in the shop. While that is below
// the new floor, it is sold out: below names that floor, "" where it is not.
func (m *mapper) keepShown(v *shopadapter.Variant, was lastPrices, q Quote) (below string) {
	v.Price, v.Cost, v.MSRP = was.show.Price, was.show.Cost, was.show.MSRP
	return m.takeOut(v, q)
}

// takeOut has nothing of a variant sold at a price below the floor of the supplier's present figures.
func (m *mapper) takeOut(v *shopadapter.Variant, q Quote) (below string) {
	if shown, err := decimal.NewFromString(v.Price); err == nil && !shown.LessThan(q.Floor) {
		return ""
	}
	if v.Quantity > 0 || v.Backorders {
		below = "its cost with VAT, " + q.Floor.StringFixed(2)
		if margin := m.rules.Price.MinMargin; margin != nil {
			below = fmt.Sprintf("its cost with VAT and %s %% of margin, %s", margin, twoPlaces{q.Floor})
		}
	}
	v.Quantity, v.Backorders = 0, false
	return below
}

// staysSoldOut is a declined change whose variant is sold out, since the price that is kept lies below the floor. It
// stays held: nobody has decided to sell nothing.
func staysSoldOut(h store.Hold, kept string) store.Hold {
	h.Reason = "sold out: " + kept + " is below " + h.Below
	return h
}

// suppliedBefore reports whether the supplier gave the same amounts for a variant before: then the
// rules have moved its price.
func suppliedBefore(r store.Record, id string, now store.Supply) bool {
	return slices.ContainsFunc(r.Variants, func(v store.Variant) bool {
		return v.ID == id && v.Supplied.Known && v.Supplied.Cost == now.Cost && v.Supplied.MSRP == now.MSRP
	})
}

// holdRules withholds a price that changed rules make, where the change is held as one or no setting
// of the merchant's has changed, or where a person declined it. It reports whether it does.
func (m *mapper) holdRules(d *desired, v *shopadapter.Variant, was lastPrices, q Quote, r store.Record) bool {
	shown, err := decimal.NewFromString(was.show.Price)
	h := store.Hold{Kind: store.HoldRules, Variant: v.ID, Old: was.show.Price, New: v.Price}
	declined := r.Ruling == store.RulingDeclined && m.movedByRules(v.ID, q, r)
	if !rulesHeld(r) && !declined || err != nil || shown.Equal(q.Price) || approved(r.Approved, h) ||
		m.madeByRules(v.ID, shown, r) || movedBySupplier(r, v.ID) {
		return false
	}
	h.Reason = fmt.Sprintf("the price of %s would move from %s to %s: price rules changed, and move very many products",
		nameOf(d.titles[v.ID], v.ID), h.Old, h.New)
	if r.Unasked {
		h.Reason = fmt.Sprintf(
			"the price of %s would move from %s to %s by other rules of pubsync's: no setting of yours has changed",
			nameOf(d.titles[v.ID], v.ID), h.Old, h.New,
		)
	}
	costs := v.Cost != was.show.Cost // a changed floor alone takes nothing out of sale
	v.Price, v.Cost, v.MSRP = was.show.Price, was.show.Cost, was.show.MSRP
	if costs {
		h.Below = m.takeOut(v, q)
	}
	switch {
	case !declined:
		d.holds = append(d.holds, h)
	case h.Below != "":
		d.declined, d.holds = append(d.declined, h), append(d.holds, staysSoldOut(h, v.Price))
	default:
		d.declined = append(d.declined, h)
	}
	return true
}

// madeByRules reports whether the present rules make the shown price of the supplier's last
// figures. Then it is the supplier who moves the price, not the rules.
func (m *mapper) madeByRules(id string, shown decimal.Decimal, r store.Record) bool {
	before, ok := m.rules.priceOf(r, id)
	return ok && before.Price.Equal(shown)
}

// movedByRules reports whether the present rules make a price of the supplier's last figures: the
// supplier has not moved it.
func (m *mapper) movedByRules(id string, q Quote, r store.Record) bool {
	before, ok := m.rules.priceOf(r, id)
	return ok && before.Price.Equal(q.Price) && !movedBySupplier(r, id)
}

// holdFirst withholds the first price of a variant that is far from its usual price. A mistaken
// percentage or ending would sell everything at such prices, and there is no earlier price to
// compare with.
func (m *mapper) holdFirst(
	d *desired, v shopadapter.Variant, given marketplace.Variant, q Quote, r store.Record,
) (held bool) {
	far := m.brake.farFromUsual(m.rules.Price, q.Price, given)
	h := store.Hold{Kind: store.HoldFirstPrice, Variant: v.ID, New: v.Price, Cause: causeLow}
	if far == "" || approved(r.Approved, h) {
		return false
	}
	if no, ok := declinedOf(r, h.Kind, v.ID); ok && sameChange(no, h) {
		d.declined = append(d.declined, no)
		d.refused[v.ID] = keptOutReason(no)
		return true
	}
	if usual, _ := m.rules.Price.usual(given.Cost, given.MSRP); q.Price.GreaterThan(usual) {
		h.Cause = causeHigh
	}
	sum, err := d.price.Explain(given.Cost, given.MSRP)
	if err != nil { // cannot be: the price was just made
		return false
	}
	h.Reason = fmt.Sprintf("the first price of %s would be %s, %s: %s",
		nameOf(d.titles[v.ID], v.ID), v.Price, far, strings.Join(sum.Steps, "; "))
	d.holds = append(d.holds, h)
	return true
}

// farFromUsual says how a first price is outside of the bounds, "" where it is not. Where prices
// are made from the cost, a price may be below the msrp as far as the floor allows.
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

// withholdsAll reports whether nothing of a product may reach the shop: a first price is held, and
// the product is not known to be in the shop, or would have no variant there. What may be on sale
// stays as it is.
func withholdsAll(d desired, r store.Record) bool {
	first := slices.ContainsFunc(d.holds, func(h store.Hold) bool { return h.Kind == store.HoldFirstPrice })
	return first && (len(lastPricesOf(r)) == 0 || len(d.product.Variants) == 0)
}
