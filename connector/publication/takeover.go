package publication

import (
	"cmp"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// TakeOver takes over a listing that the shop holds as ours, where the store was lost: prices and
// quantities that it shows count as written, so that the brake holds them and what was sold is not
// put back. It reports whether there is something to write.
func TakeOver(e *store.Entry, o Shown, now time.Time) bool {
	r := &e.Record
	if e.Known && r.ShopID != "" {
		return false
	}
	r.ShopID, r.ShopState = string(cmp.Or(o.Ref.Listing, o.ID)), o.Ref.State
	r.URL, r.URLListed = o.URL, isWebAddress(o.URL)
	r.Sale = store.Off
	if o.OnSale {
		r.Sale = store.OnSale
	}
	r.Variants = nil
	for _, v := range o.Variants {
		amount, err := parseAmount(v.Price)
		if err != nil || amount.IsZero() {
			continue
		}
		r.Variants = append(r.Variants, store.Variant{
			ID: v.ID, ShopID: v.ShopID, SKU: v.SKU,
			Written: store.Written{
				Price: amount.StringFixed(2), Quantity: v.Quantity, Backorders: v.Backorders || v.Uncounted, Offered: -1,
			},
		})
	}
	r.Dirty, r.ListedAt = shopadapter.AllFields, store.At(now)
	r.State = StateOf(*r)
	return true
}

// Suspect records that the shop may hold something else than the record says, since its store is a
// backup that was put back. The next look writes the listing whole, and nothing is reported before.
func Suspect(e *store.Entry, now time.Time) {
	r := &e.Record
	if r.ShopID != "" || r.WrittenAt != 0 || r.Unsure() != 0 {
		r.Dirty = shopadapter.AllFields
	}
	r.Attempt.Lost = true // something may have been sent to the shop since the backup
	m := store.Mark{Class: store.ClassRefresh, At: store.At(now)}
	if e.Owed != nil {
		e.Owed, m.Class = nil, store.ClassFull
	}
	e.Note(m)
}
