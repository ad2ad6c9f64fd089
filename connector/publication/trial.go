package publication

import (
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// A Trial is what rules would make of a price that stands in the shop.
type Trial struct {
	Old, New string
	Percent  float64 // by which it would move, of Old
	Cost     string  // the supplier's of now
	Held     bool    // the brake would hold it
}

// Try is what rules of prices, and a brake, would make of a written variant by the supplier's
// figures as they were read last. The error says why no price would be made. ok is false where the
// variant has no price.
func (b Brake) Try(rules PriceRule, r store.Record, v store.Variant) (t Trial, ok bool, err error) {
	old, err := decimal.NewFromString(v.Written.Price)
	if err != nil || v.Refused != "" {
		return t, false, nil //nolint:nilerr // it is not on sale
	}
	given := v.Supply
	t.Old, t.Cost = v.Written.Price, given.Cost
	q, err := rules.For(r.Terms).Quote(given.Cost, given.MSRP)
	if err != nil {
		return t, true, err
	}
	t.New, t.Held = q.Price.StringFixed(2), b.movesFar(v.Written.Price, q.Price)
	if old.IsPositive() {
		t.Percent = q.Price.Sub(old).Div(old).InexactFloat64() * 100
	}
	return t, true, nil
}
