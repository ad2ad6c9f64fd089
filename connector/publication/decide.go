package publication

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Decide returns what is to be done about a publication:
//
//	there is no entry, no listing, no variant  the listing leaves, under the brake; or waits
//	another tool made it                       held
//	out of sale by the merchant's hand         stays so until asked
//	no title, language or branch yet           waits
//	a rule keeps it out, nothing can be sold   rejected
//	nothing can be bought, and that hides it   off sale
//	a first price is held                      nothing
//	it differs from what was written           published; by the record its figures alone
//	else                                       nothing
func (s *Settings) Decide(in Input) Step {
	st := Step{in: in, rec: in.Rec}
	switch {
	case in.Gone:
		st.rec.ReadAt = store.At(in.Now)
		return s.leave(st, store.RemovalAbsent)
	case in.Read == nil:
		return s.byRecord(st)
	}
	takeIDs(&st.rec, in)
	l := in.Read.Listing
	switch {
	case l == nil:
		return s.leave(st, store.RemovalNoListing)
	case len(l.Variants) == 0:
		return s.leave(st, store.RemovalNoVariants)
	}
	st.remade = s.listed(&st.rec, in)
	rec := &st.rec
	byHand := rec.Problem.Hidden || rec.Problem.Gone
	switch {
	case isForeign(*rec, in):
		return s.foreign(st)
	case in.Rec.ReadAt == 0 && rec.ShopID != "" && rec.Sale == store.Off && !rec.Open() &&
		in.Read.Status == string(store.StatusSuccess) && (!s.hides() || slices.ContainsFunc(l.Variants, s.offers)):
		hide(rec, in.Now) // somebody hid it before the store was lost
		return st.does(Stay)
	case (rec.Problem.Hidden && in.Lists || rec.Problem.Gone) && !in.asked():
		return st.does(Stay)
	}
	rec.Terms, rec.Unread = TermsOf(l, rec.Terms), strings.Join(l.Unread, ", ")
	s.wish(&st)
	if st.awaited != "" {
		return st.waits(st.awaited)
	}
	st.takeHolds()
	st.takeTitle()
	if st.Product.Title == "" {
		return s.waitForTitle(st)
	}
	st.Product.Draft = s.AsDraft && (rec.Sale == store.Draft || rec.WrittenAt == 0 && rec.Sale != store.OnSale)
	label(&st.Product, in.Rec, in.Owners)
	st.Product.Unknown = s.unknown(*rec, l, st)
	st.Hashes = hashesOf(st.Product)
	images := shopadapter.FieldImages
	if was := rec.Hashes[images]; s.Keep.Has(images) && was != 0 && was != st.Hashes[images] {
		forgetMissing(rec) // they are the merchant's
	}
	// it left: it is to be written whole, though it was written before
	left := len(rec.Hashes) > 0 && (rec.WrittenAt == 0 || rec.Dirty == shopadapter.AllFields)
	if (rec.Sale == store.Off || rec.Sale == store.Draft && left) && !byHand {
		if why := s.skips(st.Rows, rec.Terms); why != "" {
			rec.Holds = nil
			return s.refuse(st, shopadapter.Reject("%s%s", skippedBy, why))
		}
	}
	st.content = contentOf(st.Rows, st.Hashes)
	gone := s.isSoldOut(st) && !st.Product.Draft
	switch {
	case gone && byHand, st.withheld && byHand:
		return st.does(Stay)
	case gone:
		return st.takeOff()
	case st.problem != nil:
		return s.refuse(st, st.problem)
	case st.withheld:
		return st.stays(true)
	}
	return s.compare(st)
}

// calls has the shop called. It names a listing that is taken away as the shop was last known to have it.
func (st Step) calls(do Do) Step {
	in, rec := st.in, st.rec
	if do == Offline || do == Delete {
		rec = in.Rec
	}
	left := in.Rec.Sale == store.OnSale && !in.Rec.Open() || in.Rec.Problem.Hidden
	approves := slices.ContainsFunc(st.rec.Holds, func(h store.Hold) bool { return h.Verdict == store.Approved })
	st.Ref = shopadapter.Ref{
		Publication: shopadapter.PublicationID(rec.ID), Listing: shopadapter.ListingID(rec.ShopID), State: rec.ShopState,
		OnSale: left && !in.asked() && !st.remade, Asked: in.asked(), Reset: rec.Reset &^ figures,
		Revive: in.asked() && !approves &&
			(slices.ContainsFunc(rec.Variants, isOff) || rec.Problem.Kind == store.ProblemBlocked),
	}
	return st.does(do)
}

func (st Step) waits(why string) Step {
	st.Refusal = shopadapter.Retry("%s", why)
	return st.does(Wait)
}

func (s *Settings) waitForTitle(st Step) Step {
	until := st.rec.UntitledSince.Time().Add(s.FailAfter)
	if !st.in.Now.Before(until) {
		return s.refuse(st, st.problem)
	}
	st.until = until
	return s.refuse(st.does(Wait), shopadapter.Retry(
		"%s: it may be translated yet, and is rejected after %s", st.problem.Error(), until.UTC().Format(time.RFC3339),
	))
}

// refuse ends a look at what cannot be written, and takes out of sale what must not stay there.
func (s *Settings) refuse(st Step, why *shopadapter.Error) Step {
	st.Refusal = why
	if s.mustGo(st, st.in.Rec, why) {
		return st.calls(Offline)
	}
	return st
}

// mustGo reports whether a refusal wrongly leaves something on sale: a price or stock that the supplier no longer
// has, or what an attempt without an answer may have put there.
func (s *Settings) mustGo(st Step, now store.Record, why *shopadapter.Error) bool {
	was := st.in.Rec
	unheard := was.Open() && was.Dirty.Has(shopadapter.FieldStock) // it may be out of sale already
	return why.Kind == shopadapter.Rejected && was.Open() && now.Sale != store.OnSale ||
		!why.ShopWide && isListed(now) && (unheard || s.sellsWrong(st))
}

func (s *Settings) refuseAgain(st Step) Step {
	p := st.in.Rec.Problem
	why := &shopadapter.Error{Kind: shopadapter.Rejected, Message: p.Message, ShopWide: p.Wide}
	if p.Kind == store.ProblemBlocked {
		why.Kind = shopadapter.Blocked
	}
	if refused := s.refuse(st, why); refused.Calls() {
		return refused
	}
	return st.stays(false)
}

// stays leaves the shop as it is. If a newer version was refused, the shop shows the one on sale, and no other; else
// a hold is all that stands in the way.
func (st Step) stays(held bool) Step {
	if st.rec.Problem.Kind == store.ProblemRejected && st.rec.Sale == store.OnSale {
		st.rec.Attempt.Lost = false
	} else if held {
		st.rec.Problem = store.Problem{}
	}
	return st.does(Stay)
}

// takeOff takes a product off sale that cannot be bought. No brake counts it as a removal.
func (st Step) takeOff() Step {
	if rec := st.in.Rec; rec.Sale == store.OnSale || rec.Dirty != 0 || rec.Open() {
		return st.calls(Offline)
	}
	soldOut(&st.rec)
	return st.does(Stay)
}

func (s *Settings) byRecord(st Step) Step {
	in, r := st.in, st.in.Rec
	kept := r.Problem.Kind == store.ProblemRejected && strings.HasPrefix(r.Problem.Message, skippedBy) &&
		r.WrittenAt == 0 && r.Terms.Known
	list, ok := in.supplied()
	if in.Figures != nil {
		st.rec.FiguresAt = store.At(in.Now)
	}
	switch {
	case seenBefore(r, in.Mark, in.Now):
		return st.does(Stay)
	case !ok, !kept && !Repriceable(r), s.Price.NeedsTerms() && !r.Terms.Known:
		return st.does(Read)
	}
	s.variants(&st, &marketplace.Listing{Variants: list}, r)
	if r.Problem.Kind == store.ProblemRejected { // else a change of prices would read thousands of them
		why := s.skips(st.Rows, r.Terms)
		unpriced := slices.ContainsFunc(st.Rows, func(row Row) bool { return !row.quote.Price.IsPositive() })
		if why == "" || unpriced {
			return st.does(Read)
		}
		st.rec.Problem.Message = skippedBy + why
		return st.does(Stay)
	}
	for i, row := range st.Rows {
		if row.Shown != isInShop(r.Variants[i]) {
			return st.does(Read) // it gained or lost its price
		}
	}
	st.takeHolds()
	for i := range st.Product.Variants {
		v, _ := r.Variant(st.Product.Variants[i].ID)
		st.Product.Variants[i].SKU = v.SKU
	}
	st.Product.ID, st.Product.Title, st.Product.Currency = shopadapter.PublicationID(r.ID), r.Title, s.Currency
	st.Product.UpdatedAt = r.UpdatedAt
	if s.isSoldOut(st) {
		return st.takeOff()
	}
	return s.compare(st)
}

func (s *Settings) compare(st Step) Step {
	in, rec, p := st.in, &st.rec, st.in.Rec.Problem
	asked := in.asked() && in.Read != nil
	if asked && p.Gone {
		st.remade = true
		forgetListing(rec)
		st.Product.Unknown = shopadapter.NoFields
	}
	switch takenOver := rec.ShopID != "" && rec.Sale == store.OnSale; {
	case rec.WrittenAt == 0 && takenOver:
		st.Changed = shopadapter.AllFields &^ s.Keep
	case len(rec.Hashes) == 0 || rec.WrittenAt == 0:
		st.Changed = shopadapter.AllFields
	default:
		st.Changed = st.differs() | rec.Dirty | s.wrong(*rec)
		if st.Changed.Has(shopadapter.FieldVariants) && rec.Dirty.Has(shopadapter.FieldVariants) {
			st.Changed |= figures // a lost attempt may have added a variant with figures of its own
		}
		st.Changed = st.Changed&^s.Keep | rec.Reset&(rec.Kept|^s.Keep)
	}
	switch {
	case !asked:
	case p.Hidden:
		st.Changed |= shopadapter.AllFields &^ s.Keep
	case slices.ContainsFunc(rec.Variants, func(v store.Variant) bool { return v.Refused != "" }):
		st.Changed |= shopadapter.FieldVariants | figures
	case slices.ContainsFunc(rec.Variants, isOff):
		st.Changed |= shopadapter.FieldVariants
	}
	if in.Read != nil && s.wantsPictures(st) {
		st.Changed |= shopadapter.FieldImages
	}
	st.Changed &^= st.Product.Unknown
	if driftHeld(rec.Holds) && rec.Sale == store.OnSale && !rec.Open() {
		st.Changed &^= shopadapter.FieldPrice
	}
	same := isRefusal(p.Kind) && p.Content != 0 && p.Content == st.content && !asked
	switch {
	case same:
		return s.refuseAgain(st)
	case st.Changed == shopadapter.NoFields && (rec.Sale == store.OnSale || rec.Sale == store.Draft && st.Product.Draft):
		return st
	}
	st.showLeft()
	switch {
	case in.Read != nil:
		return st.calls(Publish)
	case st.Changed&^figures == 0:
		return st.calls(Figures)
	}
	return st.does(Read)
}

// showLeft has the product carry what the shop shows of figures that are left as they are: a shop may store the
// whole body, not only what is named as changed.
func (st Step) showLeft() {
	for _, row := range st.Rows {
		if !row.Shown {
			continue
		}
		v, seen := &st.Product.Variants[row.at], row.was.Seen
		amount, err := parseAmount(seen.Price)
		if err == nil && amount.IsPositive() && !st.Changed.Has(shopadapter.FieldPrice) {
			v.Price = amount.StringFixed(2)
		}
		if n, err := strconv.Atoi(seen.Quantity); err == nil && !st.Changed.Has(shopadapter.FieldStock) {
			v.Quantity = n
		}
	}
}

func isOff(v store.Variant) bool { return v.Seen.Off }

// isRefusal reports whether a problem lasts until the supplier or the merchant mends it.
func isRefusal(k store.ProblemKind) bool {
	return k == store.ProblemRejected || k == store.ProblemBlocked
}

// differs leaves the figures of a new variant to the group variants.
func (st Step) differs() (fields shopadapter.Fields) {
	for group, sum := range st.Hashes {
		if st.rec.Hashes[group] != sum {
			fields |= group
		}
	}
	for _, row := range st.Rows {
		if row.Shown && row.was.ID == row.ID && isInShop(row.was) {
			fields |= movedFigures(row.was.Written, row.Written)
		}
	}
	return fields
}

func movedFigures(was, now store.Written) (fields shopadapter.Fields) {
	if was.Price != now.Price || was.Cost != now.Cost || was.MSRP != now.MSRP {
		fields |= shopadapter.FieldPrice
	}
	if was.Quantity != now.Quantity || was.Backorders != now.Backorders {
		fields |= shopadapter.FieldStock
	}
	return fields
}

func (s *Settings) wantsPictures(st Step) bool {
	const images = shopadapter.FieldImages
	p, now := st.rec.Pictures, store.At(st.in.Now)
	if s.Keep.Has(images) && st.rec.Hashes[images] != st.Hashes[images] {
		return false // they are the merchant's, and the supplier has others by now
	}
	due := p.LateAt != 0 && (p.LateAt <= now || p.LateAt > now+store.Instant(lateMost.Milliseconds()))
	return len(p.Missing) > 0 && (st.in.asked() || due)
}

// sellsWrong reports whether the version on sale has a wrong price, too many pieces, or a variant that is gone. A
// held price is not wrong.
func (s *Settings) sellsWrong(st Step) bool {
	if len(st.Rows) == 0 {
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
		priced := row.Shown && row.Written.Price != w.Price
		if given && !row.Shown { // its price is not known now
			priced = amountOf(row.Supply.Cost).Mul(factor(s.Price.VAT)).GreaterThan(amountOf(w.Price))
			left = max(0, row.Supply.Quantity-s.StockBuffer-stillSold(v, row.Supply.Quantity, 0))
			backorders = row.Supply.Backorders
		}
		if priced && !s.Keep.Has(shopadapter.FieldPrice) ||
			(left < max(0, w.Quantity-v.Sold) || w.Backorders && !backorders) && !s.Keep.Has(shopadapter.FieldStock) {
			return true
		}
	}
	return s.wrong(st.in.Rec)&figures&^s.Keep != 0
}

// isSoldOut leaves visible where it is what has a price that waits for a person.
func (s *Settings) isSoldOut(st Step) bool {
	waits := func(h store.Hold) bool {
		return h.Stands() && h.Kind != store.HoldDrift && st.in.Rec.Sale != store.SoldOut
	}
	return s.hides() && len(st.Product.Variants) > 0 && !slices.ContainsFunc(st.rec.Holds, waits) &&
		!slices.ContainsFunc(st.Rows, func(row Row) bool { return row.Written.Quantity > 0 || row.Written.Backorders })
}

// hides reports whether what is sold out goes off sale. It does not go by a stock that is the merchant's own.
func (s *Settings) hides() bool { return s.HideSoldOut && !s.Keep.Has(shopadapter.FieldStock) }

func (s *Settings) offers(v marketplace.Variant) bool {
	has := supplyOf(v)
	return has.Backorders || has.Quantity > s.StockBuffer
}

func isListed(r store.Record) bool {
	return r.Sale == store.OnSale && r.ShopID != "" && r.WrittenAt != 0
}
