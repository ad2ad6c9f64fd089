package publication

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/store"
)

// hasHold reports whether a person gave a verdict on a hold of a kind; "": one waits.
func hasHold(holds []store.Hold, kind store.HoldKind, v store.Verdict) bool {
	return slices.ContainsFunc(holds, func(h store.Hold) bool { return h.Kind == kind && h.Verdict == v })
}

// without is holds without some, in a list of its own: others may hold the one before.
func without(holds []store.Hold, some func(store.Hold) bool) []store.Hold {
	return slices.DeleteFunc(slices.Clone(holds), some)
}

// driftHeld reports whether prices that were changed in the shop stay until a person says that they
// are to be put right.
func driftHeld(holds []store.Hold) bool { return hasHold(holds, store.HoldDrift, "") }

// hold puts the holds of a decision in force, with those of the comparison. While prices that were
// changed in the shop are held no other price is written.
func (s *Settings) hold(st *Step, r store.Record) {
	st.Holds, st.judged = st.holds, true
	for _, h := range r.Holds {
		if h.Kind == store.HoldDrift && h.Verdict != store.Declined {
			st.Holds = append(st.Holds, h)
		}
	}
	if !driftHeld(st.Holds) {
		return
	}
	at := placesOf(st.Product.Variants, soldAs)
	for i := range st.Rows {
		row := &st.Rows[i]
		if w := row.was.Written; row.Shown && isSettled(row.was) {
			row.Written.Price, row.Written.Cost, row.Written.MSRP = w.Price, w.Cost, w.MSRP
			v := &st.Product.Variants[at[row.ID]]
			v.Price, v.Cost, v.MSRP = w.Price, w.Cost, w.MSRP
		}
	}
}

// keptOutText is why a publication or a variant stays out of the shop by a person's word.
func keptOutText(h store.Hold) string {
	if h.Kind == store.HoldForeign {
		return "it is left to the tool that made it, as you decided"
	}
	return "it is kept out, as you decided: " + h.Reason
}

// soldOutBelow is why a variant whose price stays is sold out.
func soldOutBelow(price string, h store.Hold) string {
	return "sold out: " + price + " is below " + h.Below
}

// GroupOf is the group of a held change, its kind and its cause:
//
//	price/supplier-up, -down                   the supplier moved a figure
//	price/rules-up, -down                      the merchant's rules have changed
//	price/unknown-up, -down                    a part of the price is not known
//	first-price/high, -low                     a new product or variant
//	removal/absent, /no-listing, /no-variants  the entry is gone, or has nothing to show
//	foreign, rules, drift                      have one cause each
func GroupOf(h store.Hold) string {
	cause := h.Cause
	switch {
	case h.Kind == store.HoldRemoval:
		cause = h.New
	case h.Kind == store.HoldPrice && moved(h.Old, h.New) > 0:
		cause += "-up"
	case h.Kind == store.HoldPrice:
		cause += "-down"
	}
	if cause == "" {
		return string(h.Kind)
	}
	return string(h.Kind) + "/" + strings.TrimPrefix(cause, "-")
}
