package publication

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// compare finds the groups to write: those that differ from the last write, those that the shop may
// hold otherwise, those that somebody changed there, and those that the merchant gives back. By the
// record that may be figures alone.
func (s *Settings) compare(st Step, rec store.Record) Step {
	in, p := st.in, rec.Problem
	asked := in.asked() && in.Read != nil
	if asked && p.Gone {
		st.remade = true
		forgetListing(&rec)
		st.Product.Unknown = shopadapter.NoFields
	}
	if len(rec.Hashes) == 0 || rec.WrittenAt == 0 {
		st.Changed = shopadapter.AllFields
	} else {
		st.Changed = st.differs(rec) | rec.Unsure() | s.wrong(rec)
		if st.Changed.Has(shopadapter.FieldVariants) && rec.Unsure().Has(shopadapter.FieldVariants) {
			st.Changed |= figures // a lost attempt may have added a variant with figures of its own
		}
		st.Changed = st.Changed&^s.Keep | rec.Reset&(rec.Kept|^s.Keep)
	}
	switch {
	case !asked:
	case p.Hidden:
		st.Changed = shopadapter.AllFields
	case slices.ContainsFunc(rec.Variants, func(v store.Variant) bool { return v.Refused != "" }):
		st.Changed |= shopadapter.FieldVariants | figures
	case slices.ContainsFunc(rec.Variants, isOff):
		st.Changed |= shopadapter.FieldVariants
	}
	if in.Read != nil && s.wantsPictures(st, rec) {
		st.Changed |= shopadapter.FieldImages
	}
	st.Changed &^= st.Product.Unknown
	if driftHeld(st.Holds) && rec.Sale == store.OnSale && !rec.Open() { // whatever else would write it
		st.Changed &^= shopadapter.FieldPrice
	}
	same := isRefusal(p.Kind) && p.Content != 0 && p.Content == st.content && !asked
	switch {
	case same && p.Kind == store.ProblemRejected && rec.Open() && rec.Sale != store.OnSale:
		return st.refuse(metAgain(p)) // what an attempt without an answer may have put on sale goes out
	case same: // it would be refused again
		return s.orOffSale(st, nil)
	case st.Changed == shopadapter.NoFields && (rec.Sale == store.OnSale || rec.Sale == store.Draft && st.Product.Draft):
		return st
	case in.Read != nil:
		return st.calls(Publish, rec)
	case st.Changed&^figures == 0:
		return st.calls(Figures, rec)
	}
	st.Do = Read
	return st
}

func isOff(v store.Variant) bool { return v.Seen.Off }

// isRefusal reports whether a problem lasts until the supplier or the merchant mends it.
func isRefusal(k store.ProblemKind) bool {
	return k == store.ProblemRejected || k == store.ProblemBlocked
}

func (st Step) differs(rec store.Record) (fields shopadapter.Fields) {
	for group, sum := range st.Hashes {
		if rec.Hashes[group] != sum {
			fields |= group
		}
	}
	return fields | st.figuresDiffer()
}

// figuresDiffer is price and stock, each where a variant's differ from its last written ones. Those of
// a variant that is new in the shop are part of the group variants.
func (st Step) figuresDiffer() (fields shopadapter.Fields) {
	for _, row := range st.Rows {
		was := row.was
		if !row.Shown || was.ID != row.ID || !isInShop(was) {
			continue
		}
		w, n := was.Written, row.Written
		if w.Price != n.Price || w.Cost != n.Cost || w.MSRP != n.MSRP {
			fields |= shopadapter.FieldPrice
		}
		if w.Quantity != n.Quantity || w.Backorders != n.Backorders {
			fields |= shopadapter.FieldStock
		}
	}
	return fields
}

// wantsPictures reports whether the shop is asked again for pictures that it lacks: late ones when
// they are due, all where a person asks.
func (s *Settings) wantsPictures(st Step, r store.Record) bool {
	const images = shopadapter.FieldImages
	if s.Keep.Has(images) && r.Hashes[images] != st.Hashes[images] {
		return false // they are the merchant's, and the supplier has others by now
	}
	late, now := r.Pictures.LateAt, store.At(st.in.Now)
	return len(r.Pictures.Missing) > 0 &&
		(st.in.asked() || late != 0 && (late <= now || late > now+store.Instant(lateMost.Milliseconds())))
}

// orOffSale ends a look at what cannot be written. Where that leaves an earlier version on sale which
// sells at a price, or from a stock, that the supplier does not have any more, it is taken out of
// sale before. why is nil where the problem stands as it is.
func (s *Settings) orOffSale(st Step, why *shopadapter.Error) Step {
	rec := st.in.Rec
	p := rec.Problem
	own := why == nil && !p.Wide && !p.Gone && !p.Hidden || why != nil && !why.ShopWide
	unheard := rec.Open() && rec.Unsure().Has(shopadapter.FieldStock) // it may be out of sale already
	switch {
	case own && listed(rec) && (unheard || s.sellsWrong(st)):
		if st.Refusal = why; why == nil {
			st.Refusal = metAgain(p)
		}
		return st.calls(Offline, rec)
	case why == nil:
		st.stands = true
		return st
	case st.Do == Wait:
		st.Refusal = why
		return st
	default:
		return st.refuse(why)
	}
}

func metAgain(p store.Problem) *shopadapter.Error {
	kind := shopadapter.Rejected
	if p.Kind == store.ProblemBlocked {
		kind = shopadapter.Blocked
	}
	return &shopadapter.Error{Kind: kind, Message: p.Message}
}

// sellsWrong reports whether the version on sale has other figures than the supplier's of now: another
// price, more pieces, or a variant that is gone. A price that is held is no other one, and more pieces
// of the supplier's are sold later.
func (s *Settings) sellsWrong(st Step) bool {
	if len(st.Rows) == 0 { // nothing was read
		return false
	}
	now := make(map[string]Row, len(st.Rows))
	for _, row := range st.Rows {
		now[row.ID] = row
	}
	for _, v := range st.in.Rec.Variants {
		if !isSettled(v) {
			continue
		}
		row, given := now[v.ID]
		w, left, backorders := v.Written, max(0, row.Written.Quantity-row.Sold), row.Written.Backorders
		if given && !row.Shown { // its price is not known now
			left = max(0, row.Supply.Quantity-s.StockBuffer-stillSold(v, row.Supply.Quantity, 0))
			backorders = row.Supply.Backorders
		}
		if row.Shown && row.Written.Price != w.Price && !s.Keep.Has(shopadapter.FieldPrice) ||
			(left < max(0, w.Quantity-v.Sold) || w.Backorders && !backorders) && !s.Keep.Has(shopadapter.FieldStock) {
			return true
		}
	}
	return s.wrong(st.in.Rec)&figures&^s.Keep != 0
}

// isSoldOut reports whether a product is to be off sale until something of it can be bought. A stock
// that is the merchant's own says nothing of the supplier's, and a price that waits for a person is
// to be seen.
func (s *Settings) isSoldOut(st Step) bool {
	return s.HideSoldOut && len(st.Product.Variants) > 0 && !s.Keep.Has(shopadapter.FieldStock) &&
		!slices.ContainsFunc(st.Holds, func(h store.Hold) bool { return h.Stands() && h.Kind != store.HoldDrift }) &&
		!slices.ContainsFunc(st.Rows, func(row Row) bool { return row.Written.Quantity > 0 || row.Written.Backorders })
}

// takeOff takes a product off sale of which nothing can be bought. It stays a publication of ours, and
// no brake counts it as a removal.
func (st Step) takeOff() Step {
	st.soldOut = true
	if rec := st.in.Rec; rec.Sale == store.OnSale || rec.Unsure() != 0 || rec.Open() {
		return st.calls(Offline, rec)
	}
	return st
}

// listed reports whether the shop shows a listing as it was written.
func listed(r store.Record) bool { return r.Sale == store.OnSale && r.ShopID != "" && r.WrittenAt != 0 }
