package publication

import (
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const minuteText = "2006-01-02 15:04 UTC"

// Explain tells how the price and the quantity of a variant came about.
func (s *Settings) Explain(r store.Record, v store.Variant) (price, stock []string) {
	const yours = "written when the listing was made, and yours from then on"
	w, again := v.Written, "`pubsync retry "+r.ID+"`"
	pricef := func(format string, args ...any) { price = append(price, fmt.Sprintf(format, args...)) }
	stockf := func(format string, args ...any) { stock = append(stock, fmt.Sprintf(format, args...)) }
	if q, err := s.Price.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP); err == nil {
		price = q.Steps
		waits := func(h store.Hold) bool { return h.Variant == v.ID && h.Verdict != store.Approved }
		switch {
		case isMerchants(r, v.ID):
			pricef("%s is yours", w.Price)
		case w.Price == "" || sameAmount(w.Price, q.Price), s.Keep.Has(shopadapter.FieldPrice):
		case slices.ContainsFunc(r.Holds, waits):
			pricef("the shop keeps %s until somebody decides", w.Price)
		default:
			pricef("the shop has %s: the settings have changed since it was written", w.Price)
		}
	}
	if offered := max(0, v.Supply.Quantity-s.StockBuffer); v.Supply.Known {
		stockf("offered %d - %d kept back = %d", v.Supply.Quantity, s.StockBuffer, offered)
		if w.Price != "" && w.Quantity != offered {
			stockf("%d was written last", w.Quantity)
		}
	} else {
		stockf("the shop has %d: what the supplier has is not read yet", w.Quantity)
	}
	if v.Sold > 0 {
		stockf("the shop has sold %d that the supplier's figure does not show yet: %d are left there",
			v.Sold, max(0, w.Quantity-v.Sold))
	}
	if w.Backorders {
		stockf("the supplier takes orders beyond that")
	}
	if s.Keep.Has(shopadapter.FieldStock) {
		stockf(yours)
	}
	for _, h := range r.Holds {
		if h.Variant == v.ID && h.Verdict == store.Declined {
			pricef("%s was declined on %s: it is not asked again until that figure moves, or %s",
				h.New, h.Since.Time().UTC().Format(minuteText), again)
		}
		if h.Variant == v.ID && h.Below != "" {
			stockf("%s", soldOutBelow(w.Price, h))
		}
	}
	if v.Sent.Price != "" {
		pricef("%s was sent since, and whether the shop took it is not known yet", v.Sent.Price)
	}
	if s.Keep.Has(shopadapter.FieldPrice) {
		pricef(yours)
	}
	for _, d := range differences(v.Seen) {
		text := seenText(v, d) + ": somebody changed it there"
		if isLeft(v, d) {
			text = seenText(v, d) + ": it is left until ours moves, or " + again
		}
		if d.field == shopadapter.FieldPrice {
			pricef("%s", text)
		} else {
			stockf("%s", text)
		}
	}
	if v.Seen.Off {
		stockf("switched off in the shop: it stays off until %s", again)
	}
	return price, stock
}

func seenText(v store.Variant, d difference) string {
	text := "the shop has " + d.had
	if d.field == shopadapter.FieldVariants {
		text = "deleted in the shop"
	}
	if isLeft(v, d) {
		text += fmt.Sprintf(", though it was put right %d times, by a plugin or its rounding perhaps", v.Corrected[d.field])
	}
	return text
}
