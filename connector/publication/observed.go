package publication

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// mostDrift bounds the variants of which a record says how they differ.
const mostDrift = 500

// noPrice is the price of a variant that has none in the shop: nobody can buy it.
const noPrice = "no price"

// Unlimited is the quantity of a variant that the shop sells without counting.
const Unlimited = "unlimited"

// driftOf is how the variants of a listing differ from what was last written, at a time:
//
//	in the shop                        what it means                    what becomes of it
//	another price, or none             somebody changed it              put right, held, or reported
//	a lower one beside a former price  the merchant's reduction         nothing
//	  that is not below ours
//	more pieces, or backorders         somebody changed it              put right, or reported
//	fewer pieces, or no backorders     the shop has sold them           taken off until the supplier's figure falls
//	nobody can choose it               the merchant switched it off     stays off until somebody asks
//	no such variant                    it was deleted                   made again
//	the same after three corrections   the shop does it itself          stays until somebody asks
//
// Groups that are the merchant's, or that the shop does not tell, are not compared.
func (r Rules) driftOf(rec store.Record, o Observation, now store.Instant) []store.Drift {
	if o.Variants == nil {
		return nil
	}
	var out []store.Drift
	sold := soldOf(rec)
	untold := r.Keep | o.Untold
	for _, v := range rec.Variants {
		if v.Refused != "" || v.Price == "" || v.Unpriced || len(out) == mostDrift {
			continue
		}
		d := store.Drift{Variant: v.ID, Since: now}
		seen, found := observedOf(o.Variants, v)
		switch {
		case !found:
			d.Gone, d.Sold = true, sold[v.ID]
		default:
			d.Off = !seen.OnSale
			if !untold.Has(shopadapter.FieldPrice) && !isMerchants(rec, v.ID) && repriced(v, seen, o.Prices) {
				d.Price = cmp.Or(seen.Price, noPrice)
			}
			if !untold.Has(shopadapter.FieldStock) {
				d.Quantity, d.Sold = restocked(v, sold[v.ID], seen)
			}
		}
		if d.Differs() {
			out = append(out, sinceBefore(rec.Drift, d))
		}
	}
	return out
}

// observedOf is what was observed of a variant: by the shop's id, by the marketplace's, by SKU.
func observedOf(all []shopadapter.ListedVariant, v store.Variant) (shopadapter.ListedVariant, bool) {
	for _, is := range []func(shopadapter.ListedVariant) bool{
		func(o shopadapter.ListedVariant) bool { return v.ShopID != "" && o.ShopID == v.ShopID },
		func(o shopadapter.ListedVariant) bool { return o.ID == v.ID },
		func(o shopadapter.ListedVariant) bool { return v.SKU != "" && o.SKU == v.SKU },
	} {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i], true
		}
	}
	return shopadapter.ListedVariant{}, false
}

// repriced reports whether somebody changed the price of a variant. The merchant's own reduction is
// no change of it, and no more is what a shop rounds that takes prices without VAT.
func repriced(v store.Variant, seen shopadapter.ListedVariant, prices shopadapter.Prices) bool {
	ours, err := decimal.NewFromString(v.Price)
	if err != nil {
		return false
	}
	if seen.Price == "" { // somebody emptied it
		return true
	}
	theirs, err := decimal.NewFromString(seen.Price)
	if err != nil {
		return false
	}
	if former, err := decimal.NewFromString(seen.CompareAt); err == nil {
		notBelow := former.GreaterThanOrEqual(ours) || prices.Alike(seen.CompareAt, v.Price)
		if theirs.LessThan(ours) && notBelow {
			return false
		}
	}
	return !theirs.Equal(ours) && !prices.Alike(seen.Price, v.Price)
}

// restocked is the quantity of a variant where it is above what was written, and how many the shop
// has sold, of which before are known.
func restocked(v store.Variant, before int, seen shopadapter.ListedVariant) (above string, sold int) {
	switch {
	case seen.Uncounted && v.Backorders: // it may be sold without end either way
		return "", before
	case seen.Uncounted, seen.Backorders && !v.Backorders:
		return Unlimited, before
	case seen.Quantity > v.Quantity:
		return strconv.Itoa(seen.Quantity), before
	}
	// what was written last may be less than what is sold by now: see [Decision.Sends]
	return "", max(v.Quantity, before) - seen.Quantity
}

// isMerchants reports whether the price of a variant is the merchant's: a person declined to have
// ours put back.
func isMerchants(r store.Record, variant string) bool {
	_, ok := declinedOf(r, store.HoldDrift, variant)
	return ok
}

// driftsPrice reports whether a price was changed in the shop.
func driftsPrice(d store.Drift) bool { return d.Price != "" }

// wrong is the field groups that are to be written so that the shop holds what was written last.
func (p Settings) wrong(r store.Record) (fields shopadapter.Fields) {
	for _, d := range r.Drift {
		for _, c := range differences(d) {
			switch {
			case leaves(r, c):
			case c.Field == shopadapter.FieldVariants:
				fields |= shopadapter.FieldVariants | figures
			case p.OnDrift != DriftReport:
				fields |= c.Field
			}
		}
	}
	if r.Lost {
		fields |= shopadapter.FieldImages
	}
	if driftHeld(r) {
		fields &^= shopadapter.FieldPrice
	}
	return fields
}

// driftHeld reports whether prices that were changed in the shop stay until a person says that they
// are to be put right.
func driftHeld(r store.Record) bool { return len(driftHolds(r)) > 0 }

// driftHolds is what is held of a record's drift: the holds that stood before, and were not
// approved since.
func driftHolds(r store.Record) []store.Hold {
	return only(r.Holds, func(h store.Hold) bool { return isDriftHold(h) && !approved(r.Approved, h) })
}

// asWritten is the variants with the price that was last written, while what was made of that in
// the shop is held: no other price is written meanwhile.
func asWritten(variants []shopadapter.Variant, r store.Record) {
	if !driftHeld(r) {
		return
	}
	written := writtenVariants(r)
	for i, v := range variants {
		if w, ok := written[v.ID]; ok {
			variants[i].Price, variants[i].Cost, variants[i].MSRP = w.Price, w.Cost, w.MSRP
		}
	}
}

// soldOf is how many pieces the shop has sold of each variant that the supplier's figure does not show yet.
func soldOf(r store.Record) map[string]int {
	sold := map[string]int{}
	for _, d := range r.Drift {
		if d.Sold > 0 {
			sold[d.Variant] = d.Sold
		}
	}
	return sold
}

// sinceBefore is what was seen of a variant, since when it was first seen so.
func sinceBefore(before []store.Drift, d store.Drift) store.Drift {
	for _, b := range before {
		same := b.Price == d.Price && b.Quantity == d.Quantity && b.Off == d.Off && b.Gone == d.Gone
		if b.Variant == d.Variant && same {
			d.Since = b.Since
		}
	}
	return d
}

// asSeen is the variants of a record with what was seen of them in the shop in place of what was
// written.
func asSeen(r store.Record) []store.Variant {
	if len(r.Drift) == 0 {
		return r.Variants
	}
	seen := make([]store.Variant, 0, len(r.Variants))
	for _, v := range r.Variants {
		i := slices.IndexFunc(r.Drift, func(d store.Drift) bool { return d.Variant == v.ID })
		if i < 0 {
			seen = append(seen, v)
			continue
		}
		d := r.Drift[i]
		if d.Gone {
			continue
		}
		v.Price = cmp.Or(d.Price, v.Price)
		v.Quantity = max(v.Quantity-d.Sold, 0)
		if n, err := strconv.Atoi(d.Quantity); err == nil {
			v.Quantity = n
		}
		seen = append(seen, v)
	}
	return seen
}
