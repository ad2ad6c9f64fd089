package publication

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	yours      = "written when the listing was made, and yours from then on"
	minuteText = "2006-01-02 15:04 UTC"
)

// Explain tells how the price and the quantity of a variant came about: the sums over the supplier's
// figures as last read, what is held or was declined, and what the shop shows in their place.
func (s *Settings) Explain(r store.Record, v store.Variant) (price, stock []string) {
	w := v.Written
	stock = s.stockSum(v)
	if q, err := s.Price.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP); err == nil {
		price = q.Steps
		waits := func(h store.Hold) bool { return h.Variant == v.ID && h.Verdict != store.Approved }
		switch {
		case isMerchants(r, v.ID):
			price = append(price, w.Price+" is yours")
		case w.Price == "" || sameAmount(w.Price, q.Price):
		case slices.ContainsFunc(r.Holds, waits):
			price = append(price, "the shop keeps "+w.Price+" until somebody decides")
		default:
			price = append(price, "the shop has "+w.Price+": the settings have changed since it was written")
		}
	}
	for _, h := range r.Holds {
		if h.Variant == v.ID && h.Verdict == store.Declined {
			price = append(price, h.New+" was declined on "+h.Since.Time().UTC().Format(minuteText)+
				": it is not asked again until that figure moves, or `pubsync retry "+r.ID+"`")
		}
		if h.Variant == v.ID && h.Below != "" {
			stock = append(stock, soldOutBelow(w.Price, h))
		}
	}
	if v.Sent.Price != "" {
		price = append(price, v.Sent.Price+" was sent since, and whether the shop took it is not known yet")
	}
	if s.Keep.Has(shopadapter.FieldPrice) {
		price = append(price, yours)
	}
	for _, d := range differences(v.Seen) {
		text := seenText(v, d)
		if isLeft(v, d) {
			text += ": it is left until ours moves, or `pubsync retry " + r.ID + "`"
		} else {
			text += ": somebody changed it there"
		}
		if d.Field == shopadapter.FieldPrice {
			price = append(price, text)
		} else {
			stock = append(stock, text)
		}
	}
	if v.Seen.Off {
		stock = append(stock, "switched off in the shop since "+seenSince(v)+": it stays off until `pubsync retry "+r.ID+"`")
	}
	return price, stock
}

// stockSum is the sum of the quantity that was last written. Of the units kept back only the number is
// known.
func (s *Settings) stockSum(v store.Variant) (lines []string) {
	w := v.Written
	if w.Quantity > 0 {
		lines = append(lines, fmt.Sprintf("offered %d - %d kept back = %d",
			w.Quantity+s.StockBuffer, s.StockBuffer, w.Quantity))
	} else {
		lines = append(lines, fmt.Sprintf(
			"offered no more than the %d kept back, or sold out while its price is held below the floor = 0", s.StockBuffer))
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

// seenText is what the shop has in the place of a figure.
func seenText(v store.Variant, d store.Corrected) string {
	text := "the shop has " + d.Had
	if d.Field == shopadapter.FieldVariants {
		text = "deleted in the shop"
	}
	if text += " since " + seenSince(v); isLeft(v, d) {
		text += fmt.Sprintf(", though it was put right %d times, by a plugin or its rounding perhaps", triesOf(v, d))
	}
	return text
}

func seenSince(v store.Variant) string { return v.Seen.Since.Time().UTC().Format(minuteText) }

// Ways are what can have happened to what is held, and the command for each. They are told where that
// is not plain.
func Ways(r store.Record, h store.Hold) []string {
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
func WhyDue(r store.Record, m store.Mark) string {
	switch {
	case m.Tries > 0 && r.Problem.Kind != "":
		return "another try"
	case m.Class == store.ClassSweep && m.Seen != "":
		return "the list shows a change"
	case m.Class == store.ClassFull && r.Pictures.LateAt != 0:
		return "pictures that could not be fetched"
	}
	return cmp.Or(map[store.Class]string{
		store.ClassAsked: "somebody asked for it", store.ClassHook: "a signed webhook",
		store.ClassNew: "it is new on the list", store.ClassRefresh: "not read for long",
		store.ClassRules: "prices and stock are decided anew, without a reading",
	}[m.Class], "its content is to be read")
}
