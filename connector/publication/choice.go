package publication

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// The causes of a held price.
const (
	causeSupplier = "supplier" // the supplier moved a figure
	causeRules    = "rules"    // the figures are as before: the rules of prices have changed
	causeUnknown  = "unknown"  // a part of the price is not known: the costs of sending, say
	causeHigh     = "high"     // a first price above its bounds
	causeLow      = "low"      // a first price below its bounds
)

// A Choice is the held changes that a person means. The zero Choice is all of them.
type Choice struct {
	// Group is a kind of hold, or one of its groups as [GroupOf] names it; "": every group.
	Group string
	// Until leaves out what is held since a later moment, so that an answer is for what was shown;
	// 0: nothing is left out.
	Until store.Instant
	// Except is a kind of hold that is left out; "": none.
	Except store.HoldKind
	// Keys are those of the held changes that were shown, see [KeyOf]; empty: every one. Where one of them is gone,
	// none is meant.
	Keys []string
}

// Has reports whether a held change of a record is meant.
func (c Choice) Has(r store.Record, h store.Hold) bool {
	return c.takes(GroupOf(r, h)) && (c.Until == 0 || h.Since <= c.Until) &&
		(len(c.Keys) == 0 || slices.Contains(c.Keys, KeyOf(h)) && c.stands(r))
}

// stands reports whether each held change that was shown is held of a record still.
func (c Choice) stands(r store.Record) bool {
	for _, key := range c.Keys {
		if !slices.ContainsFunc(r.Holds, func(h store.Hold) bool { return KeyOf(h) == key }) {
			return false
		}
	}
	return true
}

// takesRules reports whether a change of the rules is meant that is held as one.
func (c Choice) takesRules(r store.Record) bool {
	return len(c.Keys) == 0 && rulesHeld(r) && c.takes(string(store.HoldRules))
}

// KeyOf names a held change by what it would do: where the supplier moves it, it is another one.
func KeyOf(h store.Hold) string {
	sum := sha256.Sum256([]byte(string(h.Kind) + "\x00" + h.Variant + "\x00" + h.New))
	return hex.EncodeToString(sum[:8])
}

// takes reports whether a group is meant.
func (c Choice) takes(group string) bool {
	of := func(name string) bool { return group == name || strings.HasPrefix(group, name+"/") }
	return (c.Group == "" || of(c.Group)) && (c.Except == "" || !of(string(c.Except)))
}

// GroupOf is the group of a held change, its kind and its cause:
//
//	price/supplier-up, -down          the supplier moved a figure
//	price/rules-up, -down             the merchant's rules have changed
//	price/unknown-up, -down           a part of the price is not known
//	price/up, price/down              held by an earlier version, which did not record the cause
//	first-price/high, -low            a new product or variant
//	removal/absent, /no-listing,
//	  /no-variants                    the entry is gone, or has nothing to show
//	foreign, rules, drift             have one cause each
func GroupOf(r store.Record, h store.Hold) string {
	cause := h.Cause
	switch h.Kind {
	case store.HoldPrice:
		direction := "down"
		if Rises(h) {
			direction = "up"
		}
		cause = strings.TrimPrefix(h.Cause+"-"+direction, "-")
	case store.HoldRemoval:
		cause = string(r.Removal.Reason)
	default:
	}
	if cause == "" {
		return string(h.Kind)
	}
	return string(h.Kind) + "/" + cause
}

// Rises reports whether a held price is above the one that it would replace.
func Rises(h store.Hold) bool {
	before, err := decimal.NewFromString(h.Old)
	after, nerr := decimal.NewFromString(h.New)
	return err == nil && nerr == nil && after.GreaterThan(before)
}
