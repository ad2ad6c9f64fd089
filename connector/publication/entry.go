package publication

import (
	"cmp"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// takeIDs takes in the ids and the updatedAt, and another status: a report arrived whose answer was lost, or
// somebody else set it.
func takeIDs(r *store.Record, in Input) {
	pub, at := in.Read, store.At(in.Now)
	// the echo of a report made after the reading stays
	if r.UpdatedAt != pub.UpdatedAt || r.ReportedAt <= at {
		r.Echo = ""
	}
	r.ReadAt, r.UpdatedAt = at, pub.UpdatedAt
	l := pub.Listing
	if l != nil {
		r.Listing, r.Product = l.ID, l.ProductID
	}
	status := store.Status(pub.Status)
	counts := status == store.StatusSuccess || status == store.StatusFailed || status != "" && r.Reported != ""
	if counts && r.Reported != status && r.ReportedAt < at && !(l != nil && isForeign(*r, in)) {
		r.Reported, r.ReportedURL = status, pub.ProductURL
	}
}

// listed takes in that an entry has something to show. remade: its listing was deleted, and is made anew.
func (s *Settings) listed(r *store.Record, in Input) (remade bool) {
	if was := r.Removal; was.Done || was.Begun {
		absent := was.Reason == store.RemovalAbsent
		if remade = was.Begun && absent && s.OnRemoved == RemovedDelete; remade {
			forgetListing(r)
		}
		r.Dirty = shopadapter.AllFields
		if r.Sale != store.Draft {
			r.Sale = store.Off
		}
		if absent {
			listedAgain(r, in.Now)
		}
	}
	r.Removal = store.Removal{}
	r.Holds = without(r.Holds, isRemoval)
	r.ListedAt = cmp.Or(r.ListedAt, store.At(in.Now))
	return remade
}

func listedAgain(r *store.Record, now time.Time) {
	r.ListedAt = store.At(now)
	r.Reported, r.ReportedURL = "", ""
}

func forgetListing(r *store.Record) {
	r.ShopID, r.ShopState, r.URL, r.URLListed, r.WrittenAt = "", nil, "", false, 0
	if r.Sale != store.Draft {
		r.Sale = store.Off
	}
	r.Hashes, r.Variants, r.Kept, r.Pictures = nil, nil, 0, store.Pictures{}
}

// isForeign reports whether another tool made the listing: the marketplace calls it a success, but neither the store
// nor the shop knows it. A shop that cannot list does not show that.
func isForeign(r store.Record, in Input) bool {
	ours := r.ShopID != "" || r.WrittenAt != 0 || r.Dirty != 0 || r.ReportedAt != 0
	return !ours && in.Lists && !hasHold(r.Holds, store.HoldForeign, store.Approved) &&
		(in.Read.Status == string(store.StatusSuccess) || hasHold(r.Holds, store.HoldForeign, store.Declined))
}

func (s *Settings) foreign(st Step) Step {
	h := heldAs(store.Hold{
		Kind: store.HoldForeign,
		Reason: "the marketplace says that it is on sale already, and the shop does not hold it as ours: another tool " +
			"made it, or the store that knew it was replaced. Approved, it is published here too; declined, it is left",
	}, st.rec.Holds, st.in.Now)
	st.rec.Holds = []store.Hold{h}
	s.texts(&st, st.in.Read.Listing)
	st.takeTitle()
	if h.Verdict == store.Declined {
		st.Refusal = shopadapter.Reject("%s", keptOutText(h))
		return st
	}
	return st.stays(true)
}

// takeTitle takes in the title, or since when there is none. A time ahead counts as now: the clock was set back.
func (st *Step) takeTitle() {
	now := store.At(st.in.Now)
	if st.rec.Title = cmp.Or(st.Product.Title, st.rec.Title); st.Product.Title != "" {
		st.rec.UntitledSince = 0
	} else if st.rec.UntitledSince == 0 || st.rec.UntitledSince > now {
		st.rec.UntitledSince = now
	}
}

// TakeOver takes over a listing of ours after the store was lost, or a backup was put back. What the shop shows counts
// as written, so that the brake holds moves and sold pieces are not put back.
func TakeOver(e *store.Entry, o Shown, now time.Time) bool {
	r := &e.Record
	switch known := e.Known && r.ShopID != ""; {
	case known && !(isListed(*r) && o.Sells()):
		return false // we may have taken it off: since the backup its entry may have left
	case known:
		eachVariant(r, func(v *store.Variant) {
			if in := o.of(*v); in != nil {
				o.writtenAs(v, *in)
			}
		})
		endAttempt(r)
	default:
		r.ShopID, r.ShopState, r.Sale = string(cmp.Or(o.Ref.Listing, o.ID)), o.Ref.State, store.Off
		if r.URL, r.URLListed = o.URL, false; o.Sells() { // of a draft it is a preview's
			r.Sale, r.URLListed = store.OnSale, isWebAddress(o.URL)
		}
		r.Variants, r.Dirty, r.ListedAt = nil, shopadapter.AllFields, store.At(now)
		for _, in := range o.Variants {
			v := store.Variant{ID: in.ID, ShopID: in.ShopID, SKU: in.SKU}
			if o.writtenAs(&v, in); v.Written.Price != "" {
				r.Variants = append(r.Variants, v)
			}
		}
	}
	r.State = StateOf(*r)
	return true
}

// writtenAs has what the shop shows of a variant count as written; of which supply is not known. The merchant's
// reduction of our price is none, and a quantity that the shop does not tell stays as it is known.
func (o *Shown) writtenAs(v *store.Variant, in shopadapter.ListedVariant) {
	amount, err := parseAmount(in.Price)
	if err != nil || amount.IsZero() {
		return
	}
	if w := &v.Written; w.Price == "" || repriced(*v, in, o.Alike) {
		w.Price, w.Cost, w.MSRP, v.Past = amount.StringFixed(2), "", "", nil
	}
	if v.Seen = (store.Seen{}); in.Uncounted || o.Untold.Has(shopadapter.FieldStock) {
		return
	}
	v.Written.Quantity, v.Written.Backorders, v.Written.Offered, v.Sold = in.Quantity, in.Backorders, -1, 0
}

// Suspect records that the shop may differ from the record, since the store is a restored backup. The next look
// writes the listing whole, before anything is reported.
func Suspect(e *store.Entry, now time.Time) {
	r := &e.Record
	if r.ShopID != "" || r.WrittenAt != 0 || r.Dirty != 0 {
		r.Dirty = shopadapter.AllFields
	}
	r.Attempt.Lost = true // something may have been sent since the backup
	m := store.Mark{Class: store.ClassRefresh, At: store.At(now)}
	if e.Owed != nil {
		e.Owed, m.Class = nil, store.ClassFull
	}
	e.Note(m)
}
