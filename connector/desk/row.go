package desk

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A row is as much of a publication as sorting and searching need. It is small, since there may be
// 100,000 of them.
type row struct {
	id    string
	text  string // title, id and the shop's id, folded, a line each
	state store.State

	price, margin float32 // the lowest of its variants; NaN: not known
	stock         int32
	changed       store.Instant // at the marketplace, 0: not known
	cause         int32         // of its trouble, in snapshot.causes; 0: none
}

func rowOf(r store.Record, rules publication.PriceRule) row {
	f := figuresOf(r, rules)
	out := row{
		id: r.ID, state: r.State, price: float32(f.lowest), margin: float32(f.margin),
		stock: int32(min(f.stock, math.MaxInt32)), //nolint:gosec // bounded, and never negative
		text:  folded(r.Title + "\n" + r.ID + "\n" + r.ShopID),
	}
	if at, err := time.Parse(time.RFC3339, r.UpdatedAt); err == nil {
		out.changed = store.At(at)
	}
	return out
}

func folded(s string) string { return strings.ToLower(s) }

// figures are what the variants of a publication cost and how many there are, over those that the
// shop does not refuse.
type figures struct {
	low, high string  // prices as written, "" where there is none
	lowest    float64 // low as a number; NaN: there is none
	margin    float64 // the lowest; NaN: none is known
	stock     int
	backorder bool // one of them can be ordered without stock
}

func figuresOf(r store.Record, rules publication.PriceRule) figures {
	f := figures{lowest: math.NaN(), margin: math.NaN()}
	highest := math.NaN()
	for _, v := range r.Variants {
		if v.Refused != "" || v.Price == "" {
			continue
		}
		f.stock += max(v.Quantity, 0)
		f.backorder = f.backorder || v.Backorders
		if price, err := strconv.ParseFloat(v.Price, 64); err == nil {
			if !(f.lowest <= price) { //nolint:staticcheck // NaN is below no number
				f.low, f.lowest = v.Price, price
			}
			if !(highest >= price) { //nolint:staticcheck // nor above one
				f.high, highest = v.Price, price
			}
		}
		margin, ok := rules.Margin(v.Price, publication.LastSupply(v).Cost)
		if ok && !(f.margin <= margin) { //nolint:staticcheck // as above
			f.margin = margin
		}
	}
	return f
}
