package publication

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// byRecord decides without a reading: other rules, what somebody changed in the shop, figures that
// were read alone, an entry that a rule keeps out, and what waits for the shop for too long.
func (s *Settings) byRecord(st Step) Step {
	in, r := st.in, st.in.Rec
	kept := r.Problem.Kind == store.ProblemRejected && strings.HasPrefix(r.Problem.Message, skippedBy) &&
		r.WrittenAt == 0 && r.Terms.Known
	if in.Fresh {
		st.rec.FiguresAt = store.At(in.Now)
	}
	switch {
	case seenBefore(r, in.Mark):
		return st.as(noted)
	case s.overdue(r, in.Shut, in.Now):
		return st.as(overdue)
	case !kept && !Repriceable(r), s.Price.NeedsTerms() && !r.Terms.Known:
		return st.does(Read)
	}
	list := make([]marketplace.Variant, len(r.Variants))
	for i, v := range r.Variants {
		list[i] = suppliedAs(v)
		kept = kept && v.Supply.Known
	}
	st.terms = r.Terms
	s.variants(&st.wish, &marketplace.Listing{Variants: list}, r, in.Now)
	if r.Problem.Kind == store.ProblemRejected { // with thousands of them a change of prices would read them all
		why, offers := s.skips(st.offers, r.Terms), len(st.offers)
		if st.wish = (wish{}); !kept || why == "" || offers == 0 || offers < len(r.Variants) {
			return st.does(Read)
		}
		st.Refusal = shopadapter.Reject("%s%s", skippedBy, why)
		return st.as(noted)
	}
	for i, row := range st.Rows {
		if row.Shown != isInShop(r.Variants[i]) {
			return st.does(Read) // it gained or lost its price
		}
	}
	s.hold(&st)
	for i := range st.Product.Variants {
		v, _ := r.Variant(st.Product.Variants[i].ID)
		st.Product.Variants[i].SKU = v.SKU
	}
	st.Product.ID, st.Product.Title, st.Product.Currency = shopadapter.PublicationID(r.ID), r.Title, s.Currency
	if s.isSoldOut(st) {
		return st.takeOff()
	}
	return s.compare(st)
}

// compare finds the groups to write: those that differ from the last write, those that the shop may
// hold otherwise, those that somebody changed there, and those that the merchant gives back. By the
// record that may be figures alone.
func (s *Settings) compare(st Step) Step {
	in, rec, p := st.in, &st.rec, st.in.Rec.Problem
	asked := in.asked() && in.Read != nil
	if asked && p.Gone {
		st.remade = true
		forgetListing(rec)
		st.Product.Unknown = shopadapter.NoFields
	}
	if len(rec.Hashes) == 0 || rec.WrittenAt == 0 {
		st.Changed = shopadapter.AllFields
	} else {
		st.Changed = st.differs() | rec.Unsure() | s.wrong(*rec)
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
	if in.Read != nil && s.wantsPictures(st) {
		st.Changed |= shopadapter.FieldImages
	}
	st.Changed &^= st.Product.Unknown
	if driftHeld(rec.Holds) && rec.Sale == store.OnSale && !rec.Open() { // whatever else would write it
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
		return st.calls(Publish)
	case st.Changed&^figures == 0:
		return st.calls(Figures)
	}
	return st.does(Read)
}

func isOff(v store.Variant) bool { return v.Seen.Off }

// isRefusal reports whether a problem lasts until the supplier or the merchant mends it.
func isRefusal(k store.ProblemKind) bool {
	return k == store.ProblemRejected || k == store.ProblemBlocked
}

// differs is the groups that differ from the last write: price and stock where a variant's figures do.
// Those of a variant that is new in the shop are part of the group variants.
func (st Step) differs() (fields shopadapter.Fields) {
	for group, sum := range st.Hashes {
		if st.rec.Hashes[group] != sum {
			fields |= group
		}
	}
	for _, row := range st.Rows {
		was, w, n := row.was, row.was.Written, row.Written
		if !row.Shown || was.ID != row.ID || !isInShop(was) {
			continue
		}
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
func (s *Settings) wantsPictures(st Step) bool {
	const images = shopadapter.FieldImages
	p, now := st.rec.Pictures, store.At(st.in.Now)
	if s.Keep.Has(images) && st.rec.Hashes[images] != st.Hashes[images] {
		return false // they are the merchant's, and the supplier has others by now
	}
	due := p.LateAt != 0 && (p.LateAt <= now || p.LateAt > now+store.Instant(lateMost.Milliseconds()))
	return len(p.Missing) > 0 && (st.in.asked() || due)
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
	waits := func(h store.Hold) bool { return h.Stands() && h.Kind != store.HoldDrift }
	return s.HideSoldOut && len(st.Product.Variants) > 0 && !s.Keep.Has(shopadapter.FieldStock) &&
		!slices.ContainsFunc(st.rec.Holds, waits) &&
		!slices.ContainsFunc(st.Rows, func(row Row) bool { return row.Written.Quantity > 0 || row.Written.Backorders })
}

// isListed reports whether the shop shows a listing as it was written.
func isListed(r store.Record) bool {
	return r.Sale == store.OnSale && r.ShopID != "" && r.WrittenAt != 0
}
