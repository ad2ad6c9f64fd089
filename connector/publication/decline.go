package publication

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// Decline keeps what is in place of the held changes that a person chose. A decline is for the
// values that are shown:
//
//	price        the price stays until the supplier, or a rule, makes another one; while it lies below the cost
//	             the variant is sold out, and stays held
//	first-price  the variant stays out, and a product that was never on sale with it, until its price
//	             is another one
//	removal      the listing stays on sale until the entry is listed anew, or is gone for another
//	             reason
//	foreign      the listing stays the other tool's while the entry is on the list
//	rules        the price stays until the rules change again or the supplier moves it
//	drift        the price is the merchant's until the supplier, or a rule, moves ours
//
// [Retry] has everything asked again. by names the person. Decline reports whether there is
// something to write.
func Decline(
	s *store.Settlement, owed *store.Report, chosen Choice, class store.Class, by string, now time.Time,
) (found bool) {
	r := &s.Record
	no := only(r.Holds, func(h store.Hold) bool {
		begun := h.Kind == store.HoldRemoval && r.Removal.Begun // the shop may have done it
		return chosen.Has(*r, h) && !begun
	})
	told, whole := no, chosen.takesRules(*r)
	switch {
	case len(no) > 0:
	case !whole:
		return false
	default: // no look has made the prices yet
		told = []store.Hold{{Kind: store.HoldRules}}
	}
	RecordVerdict(r, store.EventDeclined, told, by, now)
	for _, h := range no {
		if h.Kind == store.HoldRemoval {
			h.New = string(r.Removal.Reason)
		}
		h.Since = store.At(now)
		decline(r, h)
		if h.Kind == store.HoldFirstPrice { // the others of its variants may go on sale
			s.Next = &store.Mark{Class: class, Cause: store.CauseRead, At: store.At(now)}
		}
	}
	if whole && !heldByRules(r.Holds) {
		r.Unasked, r.Ruling = false, store.RulingDeclined
	}
	r.State = StateOf(*r)
	Owe(s, owed, now)
	return true
}

// decline moves one held change to what is declined.
func decline(r *store.Record, h store.Hold) {
	same := func(other store.Hold) bool { return sameChange(other, h) }
	r.Holds, r.Approved = without(r.Holds, same), without(r.Approved, same)
	r.Declined = append(without(r.Declined, func(other store.Hold) bool {
		return other.Kind == h.Kind && other.Variant == h.Variant
	}), h)
	switch h.Kind {
	case store.HoldRemoval:
		r.Holds = without(r.Holds, func(other store.Hold) bool { return other.Kind == h.Kind })
		r.Removal = store.Removal{}
	case store.HoldDrift:
		adoptPrice(r, h.Variant, h.Old)
	case store.HoldForeign, store.HoldFirstPrice:
		if len(r.Holds) == 0 && !r.OnSale && len(lastPricesOf(*r)) == 0 {
			r.Problem = keptOut(r.Problem, h)
		}
	case store.HoldPrice, store.HoldRules:
		if h.Below != "" {
			r.Holds = append(r.Holds, staysSoldOut(h, lastPricesOf(*r)[h.Variant].show.Price))
		}
	default:
	}
}

// sameChange reports whether two holds are of the same change.
func sameChange(a, b store.Hold) bool {
	return a.Kind == b.Kind && a.Variant == b.Variant && a.New == b.New
}

// keptOut is the problem of a publication that a person keeps out of the shop.
func keptOut(before store.Problem, h store.Hold) store.Problem {
	if before.Kind == store.ProblemRejected && before.Message == keptOutReason(h) {
		return before
	}
	return store.Problem{
		Kind: store.ProblemRejected, Message: keptOutReason(h), Attempts: 1, Since: h.Since, Last: h.Since,
	}
}

func keptOutReason(h store.Hold) string {
	if h.Kind == store.HoldForeign {
		return "it is left to the tool that made it, as you decided"
	}
	return "it is kept out, as you decided: " + h.Reason
}

// declinedOf finds what was declined of a kind; variant is "" where the kind has none.
func declinedOf(r store.Record, kind store.HoldKind, variant string) (store.Hold, bool) {
	i := slices.IndexFunc(r.Declined, func(h store.Hold) bool { return h.Kind == kind && h.Variant == variant })
	if i < 0 {
		return store.Hold{}, false
	}
	return r.Declined[i], true
}

// keepsOnSale reports whether a person declined the removal of what is on sale, for a reason.
func keepsOnSale(r store.Record, reason store.RemovalReason) bool {
	h, ok := declinedOf(r, store.HoldRemoval, "")
	return ok && r.OnSale && h.New == string(reason)
}

// leftToOther reports whether a person left the listing to the tool that made it.
func leftToOther(r store.Record) bool {
	_, ok := declinedOf(r, store.HoldForeign, "")
	return ok
}

// forgetDeclined drops what was declined of a kind.
func forgetDeclined(r *store.Record, kind store.HoldKind) {
	r.Declined = without(r.Declined, func(h store.Hold) bool { return h.Kind == kind })
}

// staysDeclined is what was declined of the price of a variant, where that very price would be
// written.
func staysDeclined(r store.Record, variant, price string) (store.Hold, bool) {
	for _, h := range r.Declined {
		moves := h.Kind == store.HoldPrice || h.Kind == store.HoldRules || h.Kind == store.HoldDrift
		if moves && h.Variant == variant && h.New == price {
			return h, true
		}
	}
	return store.Hold{}, false
}

// stillDeclined is what stays declined after a look at the prices: what the look met again, and
// what is not of prices.
func (d *Decision) stillDeclined() []store.Hold {
	for i := range d.desired.declined {
		if h := &d.desired.declined[i]; h.Since == 0 { // declined before it was known
			h.Since = store.At(d.asked)
		}
	}
	return append(only(d.rec.Declined, func(h store.Hold) bool {
		return h.Kind == store.HoldRemoval || h.Kind == store.HoldForeign
	}), d.desired.declined...)
}

// askAgain forgets what was declined. A removal is held again; everything else is judged anew by
// the next look.
func askAgain(r *store.Record, now time.Time) {
	if len(r.Declined) == 0 {
		return
	}
	if h, ok := declinedOf(*r, store.HoldRemoval, ""); ok && r.OnSale && r.Removal == (store.Removal{}) {
		r.Removal = store.Removal{Reason: store.RemovalReason(h.New), At: store.At(now)}
		r.Holds = []store.Hold{{Kind: store.HoldRemoval, Reason: h.Reason, Since: store.At(now)}}
		judgeAnew(r)
	}
	r.Declined = nil
	r.State = StateOf(*r)
}

// carryDeclined brings into r what a person declined, or had asked again, after the look had begun.
func carryDeclined(start, cur store.Record, r *store.Record) {
	in := func(list []store.Hold, h store.Hold) bool {
		return slices.ContainsFunc(list, func(other store.Hold) bool { return sameChange(other, h) })
	}
	for _, h := range start.Declined {
		if in(cur.Declined, h) || !in(r.Declined, h) {
			continue
		}
		r.Declined = without(r.Declined, func(other store.Hold) bool { return sameChange(other, h) })
		if h.Kind == store.HoldRemoval && r.Removal == (store.Removal{}) {
			r.Removal, r.Holds = cur.Removal, cur.Holds
		}
	}
	for _, h := range cur.Declined {
		if !in(start.Declined, h) {
			decline(r, h)
		}
	}
}

// adoptPrice records a price that somebody gave a variant in the shop as the one last written. Of one that was emptied
// ours stays the last.
func adoptPrice(r *store.Record, variant, price string) {
	r.Variants, r.Drift = slices.Clone(r.Variants), slices.Clone(r.Drift)
	if amount, err := decimal.NewFromString(price); err == nil {
		for i := range r.Variants {
			if r.Variants[i].ID == variant {
				r.Variants[i].Price = amount.StringFixed(2)
			}
		}
	}
	for i := range r.Drift {
		if r.Drift[i].Variant == variant {
			r.Drift[i].Price = ""
		}
	}
	r.Drift = slices.DeleteFunc(r.Drift, func(d store.Drift) bool { return !d.Differs() })
	if len(r.Drift) == 0 {
		r.Drift = nil
	}
}

// declinedSteps tells what was declined of a variant's price, and how it is asked again.
func declinedSteps(r store.Record, variant string) (steps []string) {
	for _, h := range r.Declined {
		if h.Variant == variant {
			steps = append(steps, h.New+" was declined on "+h.Since.Time().UTC().Format("2006-01-02 15:04 UTC")+
				": it is not asked again until that figure moves, or `pubsync retry "+r.ID+"`")
		}
	}
	return steps
}
