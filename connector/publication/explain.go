package publication

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	yours      = "written when the listing was made, and yours from then on"
	minuteText = "2006-01-02 15:04 UTC"
)

// Explain tells how the price and the quantity of a variant came about: the sums over the supplier's
// figures as last read, what is held or was declined, and what the shop shows in their place.
func (s *Settings) Explain(r Record, v Variant) (price, stock []string) {
	w := v.Written
	if q, err := s.Price.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP); err == nil {
		price = q.Steps()
		waits := slices.ContainsFunc(r.Holds, func(h Hold) bool { return h.Variant == v.ID && h.Verdict != Approved })
		switch {
		case isMerchants(r, v.ID):
			price = append(price, w.Price+" is yours")
		case w.Price == "" || sameAmount(w.Price, q.Price):
		case waits:
			price = append(price, "the shop keeps "+w.Price+" until somebody decides")
		default:
			price = append(price, fmt.Sprintf("the shop has %s: the settings have changed since it was written", w.Price))
		}
	}
	for _, h := range r.Holds {
		if h.Variant == v.ID && h.Verdict == Declined {
			price = append(price, h.New+" was declined on "+h.Since.Time().UTC().Format(minuteText)+
				": it is not asked again until that figure moves, or `pubsync retry "+r.ID+"`")
		}
		if h.Variant == v.ID && h.Below != "" {
			stock = append(stock, "sold out: "+w.Price+" is below "+h.Below)
		}
	}
	if v.Sent.Price != "" {
		price = append(price, v.Sent.Price+" was sent since, and whether the shop took it is not known yet")
	}
	if s.Keep.Has(shopadapter.FieldPrice) {
		price = append(price, yours)
	}
	stock = append(s.stockSum(v), stock...)
	more, pieces := explainSeen(r, v)
	return append(price, more...), append(stock, pieces...)
}

// stockSum is the sum of the quantity that was last written. Of the units kept back only the number is
// known.
func (s *Settings) stockSum(v Variant) (lines []string) {
	w := v.Written
	switch {
	case w.Quantity > 0:
		lines = append(lines, fmt.Sprintf("offered %d - %d kept back = %d",
			w.Quantity+s.StockBuffer, s.StockBuffer, w.Quantity))
	case s.StockBuffer > 0:
		lines = append(lines, fmt.Sprintf("offered no more than the %d kept back, or sold out while its price is held below "+
			"the floor = 0", s.StockBuffer))
	default:
		lines = append(lines, "none offered, or sold out while its price is held below the floor = 0")
	}
	if v.Sold > 0 {
		lines = append(lines, fmt.Sprintf("the shop has sold %d that the supplier's figure does not show yet: %d are left "+
			"there", v.Sold, max(0, w.Quantity-v.Sold)))
	}
	if w.Backorders {
		lines = append(lines, "the supplier takes orders beyond that")
	}
	if s.Keep.Has(shopadapter.FieldStock) {
		lines = append(lines, yours)
	}
	return lines
}

// explainSeen tells what the shop shows of a variant in place of what was written.
func explainSeen(r Record, v Variant) (price, stock []string) {
	since := v.Seen.Since.Time().UTC().Format(minuteText)
	tell := func(d Corrected, ours string) []string {
		if tries := triesOf(v, d); tries >= mostCorrections {
			return []string{
				fmt.Sprintf("the shop has %s since %s: %s was written %d times, and the shop changed it each time, by a "+
					"plugin or its rounding perhaps", d.Had, since, ours, tries),
				fmt.Sprintf("it is left until ours moves, or `pubsync retry %s`; PUBSYNC_SHOP_KEEP=%s leaves it to the shop in "+
					"every product", r.ID, d.Field),
			}
		}
		return []string{fmt.Sprintf("the shop has %s since %s: somebody changed it there", d.Had, since)}
	}
	for _, d := range differences(v.Seen) {
		switch d.Field {
		case shopadapter.FieldPrice:
			price = append(price, tell(d, v.Written.Price)...)
		case shopadapter.FieldStock:
			stock = append(stock, tell(d, strconv.Itoa(v.Written.Quantity))...)
		default:
			what := "deleted in the shop since " + since + ": to be made again"
			if triesOf(v, d) >= mostCorrections {
				what = fmt.Sprintf("deleted in the shop since %s, after it was made again %d times: it is left until "+
					"`pubsync retry %s`", since, mostCorrections, r.ID)
			}
			stock = append(stock, what)
		}
	}
	if v.Seen.Off {
		stock = append(stock, fmt.Sprintf("switched off in the shop since %s: it stays off until `pubsync retry %s`",
			since, r.ID))
	}
	return price, stock
}

// Ways are what can have happened to what is held, and the command for each. They are told where that
// is not plain.
func Ways(r Record, h Hold) []string {
	if h.Kind != store.HoldForeign {
		return nil
	}
	return []string{
		"another tool put it on sale: `pubsync decline " + r.ID + "` leaves it to that tool, `pubsync approve " + r.ID +
			"` publishes it here too",
		"the store of pubsync was replaced, or the shop was: put the right store, or its backup, at PUBSYNC_STORE_PATH; " +
			"`pubsync approve --kind foreign` publishes the others anew",
	}
}

// WhyDue is why a publication is to be looked at.
func WhyDue(r Record, m Mark) string {
	switch {
	case m.Tries > 0 && r.Problem.Kind != "":
		return "another try"
	case m.Class == ClassAsked:
		return "somebody asked for it"
	case m.Class == ClassHook:
		return "a signed webhook"
	case m.Class == ClassNew:
		return "it is new on the list"
	case m.Class == ClassSweep && m.Seen != "":
		return "the list shows a change"
	case m.Class == ClassRules:
		return "prices and stock are decided anew, without a reading"
	case m.Class == ClassFull && r.Pictures.LateAt != 0:
		return "pictures that could not be fetched"
	case m.Class == ClassRefresh:
		return "not read for long"
	default:
		return "its content is to be read"
	}
}

const (
	mostNamed = 4 // variants of a sentence that changed alike
	mostSteps = 3 // changes of a sentence that differ
)

// Tell is an event as a sentence with numbers. Changes that are alike are told together, and of those
// that differ the first ones.
func Tell(e Event) string {
	what := e.What
	if e.By != "" {
		what += " by " + e.By
	}
	type step struct{ field, old, now, why string }
	var steps []step
	names := map[step][]string{}
	for _, c := range e.Changes {
		s := step{c.Field, c.Old, c.New, c.Why}
		if _, met := names[s]; !met {
			steps = append(steps, s)
			names[s] = nil
		}
		if c.Variant != "" {
			names[s] = append(names[s], nameOf(c.Name, c.Variant))
		}
	}
	if quiet := func(s step) bool { return beside[s.field] }; !slices.ContainsFunc(steps, quiet) ||
		slices.ContainsFunc(steps, func(s step) bool { return !quiet(s) }) {
		steps = slices.DeleteFunc(steps, quiet)
	}
	more := e.More
	for _, s := range steps[min(len(steps), mostSteps):] {
		more += max(1, len(names[s]))
	}
	var parts []string
	for _, s := range steps[:min(len(steps), mostSteps)] {
		parts = append(parts, sentence(s.field, s.old, s.now, s.why, names[s]))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	switch told := strings.Join(parts, "; "); {
	case told == "":
		return what
	case e.What == WhatUpdated:
		return told
	default:
		return what + ": " + told
	}
}

// beside are the fields that are told of only where nothing else changed.
var beside = map[string]bool{"cost": true, "msrp": true, "backorders": true}

// sentence tells one change of some variants.
func sentence(field, old, now, why string, variants []string) string {
	who := field
	if field == "quantity" {
		who = "stock"
	}
	if len(variants) > mostNamed {
		variants = append(variants[:mostNamed-1:mostNamed-1], strconv.Itoa(len(variants)-mostNamed+1)+" more")
	}
	if len(variants) > 0 && field != "variants" {
		who += " of " + strings.Join(variants, ", ")
	}
	switch {
	case old == "" && now == "":
	case old == "":
		who += " " + now
	case now == "":
		who += " " + old + " removed"
	default:
		who += " " + old + " -> " + now
	}
	if why != "" {
		who += ": " + why
	}
	return who
}
