package publication

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const yours = "written when the listing was made, and yours from then on"

// PriceSteps explains the price of a record's variant by the supplier's figures as last read, and why the shop has
// another.
func (r Rules) PriceSteps(rec store.Record, v store.Variant) []string {
	given := LastSupply(v)
	q, err := r.Price.For(rec.Terms).Explain(given.Cost, given.MSRP)
	if err != nil {
		return nil
	}
	steps := q.Steps
	switch written, err := decimal.NewFromString(v.Price); {
	case isMerchants(rec, v.ID):
		steps = append(steps, v.Price+" is yours")
	case err == nil && !written.Equal(q.Price) && keptPrice(rec, v.ID):
		steps = append(steps, "the shop keeps "+v.Price+" until somebody decides")
	case err == nil && !written.Equal(q.Price):
		steps = append(steps, fmt.Sprintf("the shop has %s: the settings have changed since it was written", v.Price))
	}
	steps = append(steps, declinedSteps(rec, v.ID)...)
	if r.Keep.Has(shopadapter.FieldPrice) {
		steps = append(steps, yours)
	}
	return steps
}

// keptPrice reports whether a change of a variant's price is held or was declined.
func keptPrice(r store.Record, variant string) bool {
	return slices.ContainsFunc(slices.Concat(r.Holds, r.Declined), func(h store.Hold) bool { return h.Variant == variant })
}

// SentStep names the price of a variant that the shop may show besides the last written one.
func SentStep(r store.Record, variant string) (steps []string) {
	for _, s := range r.Sent {
		if s.Variant == variant {
			steps = append(steps, s.Price+" was sent since, and whether the shop took it is not known yet")
		}
	}
	return steps
}

// StockSteps explains the quantity that was last written. Of the units kept back only the sum is
// known.
func (r Rules) StockSteps(v store.Variant) (steps []string) {
	switch {
	case v.Quantity > 0:
		steps = append(
			steps, fmt.Sprintf("offered %d - %d kept back = %d", v.Quantity+r.StockBuffer, r.StockBuffer, v.Quantity),
		)
	case r.StockBuffer > 0:
		steps = append(
			steps,
			fmt.Sprintf(
				"offered no more than the %d kept back, or sold out while its price is held below the floor = 0",
				r.StockBuffer,
			),
		)
	default:
		steps = append(steps, "none offered, or sold out while its price is held below the floor = 0")
	}
	if v.Backorders {
		steps = append(steps, "the supplier takes orders beyond that")
	}
	if r.Keep.Has(shopadapter.FieldStock) {
		steps = append(steps, yours)
	}
	return steps
}

// WhyNext is why a publication is to be looked at.
func WhyNext(c store.Cause) (why []string) {
	for _, reason := range []struct {
		cause store.Cause
		text  string
	}{
		{store.CauseSigned, "a signed webhook"},
		{store.CauseUnsigned, "an unsigned webhook"},
		{store.CauseSeen, "a sweep saw a change"},
		{store.CauseVariant, "a sweep saw a variant change"},
		{store.CauseRead, "its content is to be read"},
		{store.CauseRemainder, "the remainder of a change whose prices and stock are written"},
		{store.CauseRules, "the rules of prices and stock have changed"},
		{store.CauseSettings, "settings have changed"},
		{store.CauseRetry, "another try"},
		{store.CauseRefresh, "not read for long"},
		{store.CausePictures, "pictures that could not be fetched"},
		{store.CauseDrift, "somebody changed it in the shop"},
		{store.CausePrices, "prices are entered in the shop in another way than before"},
		{store.CauseAsked, "somebody asked for it"},
	} {
		if c&reason.cause != 0 {
			why = append(why, reason.text)
		}
	}
	return why
}

// DriftSteps tells what was seen in the shop of a variant in place of what was written.
func DriftSteps(r store.Record, v store.Variant) (price, stock []string) {
	for _, d := range r.Drift {
		if d.Variant != v.ID {
			continue
		}
		since := d.Since.Time().UTC().Format("2006-01-02 15:04 UTC")
		tell := func(field shopadapter.Fields, had, ours string) (lines []string) {
			if had == "" {
				return nil
			}
			lines = []string{fmt.Sprintf("the shop has %s since %s: somebody changed it there", had, since)}
			if c := (store.Correction{Variant: d.Variant, Field: field, Had: had}); leaves(r, c) {
				lines = []string{
					fmt.Sprintf(
						"the shop has %s since %s: %s was written %d times, and the shop changed it each time, by a "+
							"plugin or its rounding perhaps",
						had,
						since,
						ours,
						triesOf(r, c),
					),
					fmt.Sprintf(
						"it is left until ours moves, or `pubsync retry %s`; PUBSYNC_SHOP_KEEP=%s leaves it to the "+
							"shop in every product",
						r.ID,
						field,
					),
				}
			}
			return lines
		}
		price = append(price, tell(shopadapter.FieldPrice, d.Price, v.Price)...)
		stock = append(stock, tell(shopadapter.FieldStock, d.Quantity, strconv.Itoa(v.Quantity))...)
		if d.Sold > 0 && !d.Gone {
			stock = append(
				stock,
				fmt.Sprintf("the shop has sold %d that the supplier's figure does not show yet: %d are left there",
					d.Sold, max(v.Quantity-d.Sold, 0)),
			)
		}
		if d.Off {
			stock = append(
				stock,
				fmt.Sprintf("switched off in the shop since %s: it stays off until `pubsync retry %s`",
					since, r.ID),
			)
		}
		switch {
		case d.Gone && leaves(r, differences(d)[0]):
			stock = append(
				stock,
				fmt.Sprintf("deleted in the shop since %s, after it was made again %d times: it is left "+
					"until `pubsync retry %s`", since, mostCorrections, r.ID),
			)
		case d.Gone:
			stock = append(stock, fmt.Sprintf("deleted in the shop since %s: to be made again", since))
		}
	}
	return price, stock
}

// Ways are what can have happened to what is held, and the command for each. They are told where
// that is not plain.
func Ways(r store.Record, h store.Hold) []string {
	if h.Kind != store.HoldForeign {
		return nil
	}
	return []string{
		"another tool put it on sale: `pubsync decline " + r.ID + "` leaves it to that tool, `pubsync approve " + r.ID +
			"` publishes it here too",
		"the store of pubsync was replaced, or the shop was: put the right store, or its backup, at PUBSYNC_STORE_PATH; " +
			"`pubsync approve --kind foreign` publishes " +
			"the others anew",
	}
}
