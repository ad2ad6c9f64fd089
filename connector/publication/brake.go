package publication

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// A Brake says which changes are too large to be made without a person's approval.
type Brake struct {
	PricePercent decimal.Decimal // a price that moves by more than this share of the last written one is held
	// removals are held that are more than this share of what is on sale, and more than
	// removedAlways
	RemovedPercent decimal.Decimal
	FirstPrice     Bounds // a first price outside of these is held
}

// Bounds are the multiples of the usual price between which a first price passes. The zero Bounds
// let every price pass. See PriceRule.usual.
type Bounds struct{ Least, Most decimal.Decimal }

// removedAlways is the number of removals a day that always pass.
const removedAlways = 10

// priceMoves reports whether the step from one price to another is larger than the brake lets pass.
func (b Brake) priceMoves(from, to decimal.Decimal) bool {
	if !from.IsPositive() {
		return false
	}
	return to.Sub(from).Abs().Mul(hundred).GreaterThan(from.Mul(b.PricePercent))
}

// RemovesTooMuch judges the removals found together: onSale is what is on sale now, recent the
// removals done in the last 24 hours.
//
//	found+recent      of onSale+recent    verdict
//	nothing found                         done
//	everything                            held
//	> percent and > 10                    held
//	otherwise                             done
func (b Brake) RemovesTooMuch(onSale, recent, found int) bool {
	if found == 0 {
		return false
	}
	if found >= onSale {
		return true
	}
	gone, had := decimal.NewFromInt(int64(found+recent)), decimal.NewFromInt(int64(onSale+recent))
	return found+recent > removedAlways && gone.Mul(hundred).GreaterThan(had.Mul(b.RemovedPercent))
}

// approved reports whether a hold is approved. An approval is for the value that was shown, no
// other.
func approved(approvals []store.Hold, h store.Hold) bool {
	for _, a := range approvals {
		// approving a price by changed rules also approves how far it moves
		same := a.Kind == h.Kind || a.Kind == store.HoldRules && h.Kind == store.HoldPrice
		if same && a.Variant == h.Variant && a.New == h.New {
			return true
		}
	}
	return false
}

// heldByRules reports whether one of the holds is of a price by changed rules.
func heldByRules(holds []store.Hold) bool {
	return slices.ContainsFunc(holds, isRulesHold)
}

// sameHold finds a hold among those of before, so that it keeps its Since.
func sameHold(before []store.Hold, h store.Hold) (store.Hold, bool) {
	for _, b := range before {
		if sameChange(b, h) {
			return b, true
		}
	}
	return h, false
}
