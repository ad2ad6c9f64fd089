package publication

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Settings are what the rules depend on.
type Settings struct {
	Rules
	Brake Brake

	OnRemoved   OnRemoved
	ReportDrift bool // figures that somebody changed in the shop are shown, and left
	FailAfter   time.Duration
	// what was read longer ago is read again, and every thirtieth time as a whole
	RefreshAfter time.Duration
	// Ruling is where a change of the rules of prices stands that is held as one: each price that they
	// move is held, or stays as a person declined it.
	Ruling store.Ruling
	// Unasked says of such a change that no setting of the merchant's has changed.
	Unasked bool
	// the wait of a publication before another try; spread, so that those that failed together are
	// not tried together, and the same each time it is asked for one try
	Backoff func(id string, tries int) time.Duration
}

// Rules say how a listing of the marketplace becomes a product of the shop.
type Rules struct {
	Currency    string   // of the marketplace's amounts, which are the shop's: nothing is converted
	Languages   []string // in order of preference: the first that has a title is the product's
	SKUPrefix   string
	Keep        shopadapter.Fields // written at creation only, the merchant's from then on
	Price       PriceRule
	StockBuffer int               // units kept back
	Details     bool              // brand and details are read, and written
	Units       shopadapter.Units // that the marketplace's decimals are in
	HideSoldOut bool              // what is sold out is taken off sale until it has stock
	AsDraft     bool              // a new product is complete, and the merchant puts it on sale
	Skip        Skip
}

// WithFigures are these rules, with the rules of prices and stock of another.
func (r Rules) WithFigures(of Rules) Rules {
	r.Price, r.StockBuffer, r.Keep = of.Price, of.StockBuffer, r.Keep&^figures|of.Keep&figures
	r.HideSoldOut, r.Skip, r.AsDraft = of.HideSoldOut, of.Skip, of.AsDraft
	return r
}

// OnRemoved is what happens to a listing whose entry is gone from the import list.
type OnRemoved string

// The choices.
const (
	RemovedUnpublish OnRemoved = "unpublish"
	RemovedDelete    OnRemoved = "delete"
	RemovedKeep      OnRemoved = "keep"
)

// An Input is all that one decision goes by.
type Input struct {
	Rec    Record
	Mark   Mark
	Read   *marketplace.Publication // nil: by the record
	Hint   uint64                   // the number of the hint that was there when it was asked for; 0: none
	Gone   bool                     // the marketplace says that there is no such publication
	Fresh  bool                     // by the record, and its figures were just read, see WithFigures
	Owners map[string]string        // who holds the SKUs that Settings.SKUs names: publication by store.SKUKey
	Lists  bool                     // the shop can list what it holds of ours
	Shut   string                   // why the shop cannot be used now, "" where it can
	Now    time.Time                // the store's clock, when the reading was asked for
}

// asked reports whether a person named the publication.
func (in Input) asked() bool { return in.Mark.Class == ClassAsked }

// A Do is what a step does.
type Do int

// What a step does. Publish, Figures, Offline and Delete call the shop; what a call may leave behind
// is written before it, see Begun.
const (
	Nothing Do = iota
	Wait       // the marketplace does not show all of it yet, as Refusal says
	Read       // the record does not tell: the content is to be read
	Publish    // the shop is to hold Product, of which Changed is written
	Figures    // the shop is to hold the figures of Product's variants, of which nothing else is known
	Offline    // the listing is to be out of sale
	Delete     // the listing is to go
)

// A Step is the one thing that is to be done about a publication now.
type Step struct {
	Do      Do
	Product shopadapter.Product
	Changed shopadapter.Fields
	Ref     shopadapter.Ref
	Rows    []Row  // every variant of what was decided upon, with the supplier's figures
	Holds   []Hold // in force from now on, with their verdicts
	Hashes  map[shopadapter.Fields]uint64
	Refusal *shopadapter.Error  // why it is not as it should be, beside Nothing, Wait and Offline
	Removal store.RemovalReason // why it leaves, of Offline, Delete and a Nothing that the brake is to judge
	Why     string              // what happened, for the history; "": nothing to tell

	in      Input
	terms   store.Terms
	unread  []string
	content uint64    // of what was refused
	until   time.Time // of Wait: it ends then; zero: it does not
	cut     string    // what was cut of the description

	judged  bool // Holds are those of now; else the record's stay
	clears  bool // of one that stands: a person is to judge it, and what it met before counts no more
	awaits  bool // it is on the list, and has nothing to show yet
	stands  bool // nothing has changed that could mend its problem
	found   bool // a removal that the brake is to judge
	soldOut bool // of Offline and Nothing: off sale until something of it can be bought
	hidden  bool // it was found out of sale, by a hand that is not ours
	forget  bool // no trace is kept
	remade  bool // its listing was deleted, and is made anew
	noted   bool // only looked at: nothing was learned
}

// Decide says what is to be done about a publication. The same input leads to the same step.
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
	st := Step{in: in}
	switch {
	case in.Gone:
		return s.leave(st, store.RemovalAbsent)
	case in.Read == nil:
		return s.byRecord(st)
	case in.Read.Listing == nil:
		return s.leave(st, store.RemovalNoListing)
	case len(in.Read.Listing.Variants) == 0:
		return s.leave(st, store.RemovalNoVariants)
	}
	if why := overlong(in.Read); why != "" {
		st.in.Read = &marketplace.Publication{ID: in.Read.ID, UpdatedAt: in.Read.UpdatedAt} // none of it is used
		return s.refuse(st, shopadapter.Reject("the marketplace gives %s", why))
	}
	rec := in.Rec
	st.remade = s.takeIn(&rec, st)
	switch {
	case isForeign(rec, in):
		return s.foreign(st)
	case in.Rec.ReadAt == 0 && rec.ShopID != "" && rec.Sale == Off && !rec.Open() && len(rec.Variants) > 0 &&
		in.Read.Status == string(store.StatusSuccess):
		st.hidden, st.stands = true, true // taken over as it stands
		return st
	case rec.Problem.Hidden && in.Lists && !in.asked():
		st.stands = true
		return st
	}
	w := s.wish(in.Read, rec, in.Now)
	st.terms, st.unread, st.cut = w.terms, w.unread, w.cut
	st.Rows, st.Product = w.rows, w.product
	if w.waits != "" {
		return st.waits(shopadapter.Retry("%s", w.waits), time.Time{})
	}
	s.hold(&st, w.holds, rec)
	st.Product.Draft = s.AsDraft && (rec.Sale == Draft || rec.WrittenAt == 0 && rec.Sale != OnSale)
	if w.untitled {
		return s.untitled(st, w.problem)
	}
	label(&st.Product, in.Rec, in.Owners)
	st.Product.Unknown = s.unknown(rec, in.Read.Listing, st.Product, w.placed)
	st.Hashes = hashesOf(st.Product)
	st.content = contentOf(st.Rows, st.Hashes)
	byHand := rec.Problem.Hidden || rec.Problem.Gone
	if rec.Sale == Off && !byHand {
		if why := s.skips(w.offers, w.terms); why != "" {
			st.Holds, st.content = nil, 0
			return s.refuse(st, shopadapter.Reject("%s%s", skippedBy, why))
		}
	}
	switch {
	case s.isSoldOut(st) && !st.Product.Draft && byHand:
		st.stands = true
		return st
	case s.isSoldOut(st) && !st.Product.Draft:
		return st.takeOff()
	case w.problem != nil:
		return s.orOffSale(st, w.problem)
	case w.withheld:
		st.stands, st.clears = true, !byHand
		return st
	}
	return s.compare(st, rec)
}

// takeIn takes a reading into the record, and reports whether the listing is known to be deleted, so
// that it is made anew. The step is decided on such a record, and its end is applied to the record as
// it is then.
func (s *Settings) takeIn(r *Record, st Step) (remade bool) {
	pub, now := st.in.Read, st.in.Now
	was, since := r.Removal, r.Removal != st.in.Rec.Removal // since: it was found gone after this was asked for
	if (was.Done || was.Begun) && !since {
		absent := was.Reason == store.RemovalAbsent
		if was.Begun && absent && s.OnRemoved == RemovedDelete {
			forgetListing(r)
			remade = true
		}
		r.Dirty = shopadapter.AllFields
		if r.Sale != Draft {
			r.Sale = Off
		}
		if absent {
			listedAgain(r, now)
		}
	}
	if !since {
		r.Removal = store.Removal{}
		dropHolds(r, func(h Hold) bool { return h.Kind == store.HoldRemoval })
	}
	takeIDs(r, pub, now)
	if r.ListedAt == 0 {
		r.ListedAt = store.At(now)
	}
	return remade
}

// takeIDs takes in what the marketplace says of the entry itself. Our own report's updatedAt stays
// beside that of the content where it came after the reading.
func takeIDs(r *Record, pub *marketplace.Publication, now time.Time) {
	if r.UpdatedAt != pub.UpdatedAt || !after(r.ReportedAt, now) {
		r.Echo = ""
	}
	r.ReadAt = store.At(now)
	if len(pub.UpdatedAt) <= MaxUpdatedAt {
		r.UpdatedAt = pub.UpdatedAt
	}
	if l := pub.Listing; l != nil {
		r.Listing, r.Product = l.ID, l.ProductID
	}
}

// listedAgain records that an entry that was gone is on the list again. It is reported anew.
func listedAgain(r *Record, now time.Time) {
	r.ListedAt = store.At(now)
	r.Reported, r.ReportedURL = "", ""
}

// forgetListing drops what is known of a listing that does not exist any more.
func forgetListing(r *Record) {
	r.ShopID, r.ShopState, r.URL, r.URLListed, r.WrittenAt = "", nil, "", false, 0
	if r.Sale != Draft {
		r.Sale = Off
	}
	r.Hashes, r.Variants, r.Kept, r.Pictures = nil, nil, 0, Pictures{}
}

func dropHolds(r *Record, is func(Hold) bool) {
	r.Holds = slices.DeleteFunc(slices.Clone(r.Holds), is)
}

// isForeign reports whether another tool made the listing of an entry: the marketplace calls it a
// success, and neither the store nor the shop knows it. Only a shop that lists can show that.
func isForeign(r Record, in Input) bool {
	ours := r.ShopID != "" || r.WrittenAt != 0 || r.Unsure() != 0 || r.ReportedAt != 0
	let := slices.ContainsFunc(r.Holds, func(h Hold) bool { return h.Kind == store.HoldForeign && h.Verdict == Approved })
	return !ours && in.Lists && !let && (in.Read.Status == string(store.StatusSuccess) || leftToOther(r))
}

// leftToOther reports whether a person left the listing to the tool that made it.
func leftToOther(r Record) bool {
	return slices.ContainsFunc(r.Holds, func(h Hold) bool { return h.Kind == store.HoldForeign && h.Verdict == Declined })
}

func (s *Settings) foreign(st Step) Step {
	j := judge{s: s, rec: st.in.Rec, now: st.in.Now}
	h, _ := j.trips(Hold{
		Kind: store.HoldForeign,
		Reason: "the marketplace says that it is on sale already, and the shop does not hold it as ours: another tool " +
			"made it, or the store that knew it was replaced",
	})
	w := wish{}
	s.texts(&w, st.in.Read.Listing)
	st.Product = w.product
	st.Holds, st.judged, st.stands, st.clears = j.holds, true, true, true
	if h.Verdict == Declined {
		st.stands, st.Refusal = false, shopadapter.Reject("%s", keptOutText(h))
	}
	return st
}

// compare finds the groups to write: those that differ from the last write, those that the shop may
// hold otherwise, those that somebody changed there, and those that the merchant gives back.
func (s *Settings) compare(st Step, rec Record) Step {
	in := st.in
	if in.asked() && rec.Problem.Gone {
		st.remade = true
		forgetListing(&rec)
		st.Product.Unknown = shopadapter.NoFields
		st.Hashes = hashesOf(st.Product)
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
	refused := func(v Variant) bool { return v.Refused != "" }
	off := func(v Variant) bool { return v.Seen.Off }
	switch {
	case !in.asked():
	case rec.Problem.Hidden:
		st.Changed = shopadapter.AllFields
	case slices.ContainsFunc(rec.Variants, refused):
		st.Changed |= shopadapter.FieldVariants | figures
	case slices.ContainsFunc(rec.Variants, off):
		st.Changed |= shopadapter.FieldVariants
	}
	if s.wantsPictures(st, rec) {
		st.Changed |= shopadapter.FieldImages
	}
	st.Changed &^= st.Product.Unknown
	if driftHeld(st.Holds) && rec.Sale == OnSale && !rec.Open() { // whatever else would write it
		st.Changed &^= shopadapter.FieldPrice
	}
	p := rec.Problem
	lasts := p.Kind == store.ProblemRejected || p.Kind == store.ProblemBlocked
	same := lasts && p.Content != 0 && p.Content == st.content
	switch {
	case same && !in.asked() && p.Kind == store.ProblemRejected && rec.Open() && rec.Sale != OnSale:
		return s.refuse(st, metAgain(p)) // what an attempt without an answer may have put on sale goes out
	case same && !in.asked(): // it would be refused again
		return s.orOffSale(st, nil)
	case st.Changed == shopadapter.NoFields && (rec.Sale == OnSale || rec.Sale == Draft && st.Product.Draft):
		return st
	}
	return st.calls(Publish, rec)
}

// calls is the step that calls the shop.
func (st Step) calls(do Do, rec Record) Step {
	in := st.in
	st.Do = do
	left := in.Rec.Sale == OnSale && !in.Rec.Open() || in.Rec.Problem.Hidden
	off := func(v Variant) bool { return v.Seen.Off }
	approves := slices.ContainsFunc(st.Holds, func(h Hold) bool { return h.Verdict == Approved })
	st.Ref = shopadapter.Ref{
		Publication: shopadapter.PublicationID(rec.ID), Listing: shopadapter.ListingID(rec.ShopID), State: rec.ShopState,
		OnSale: left && !in.asked() && !st.remade, Asked: in.asked(), Reset: rec.Reset,
		Revive: in.asked() && !approves &&
			(slices.ContainsFunc(rec.Variants, off) || rec.Problem.Kind == store.ProblemBlocked),
	}
	return st
}

// differs is the groups in which the product differs from what was last written.
func (st Step) differs(rec Record) (fields shopadapter.Fields) {
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
		was := row.was.v
		if !row.Shown || was.ID != row.ID || was.Written.Price == "" || was.Unpriced {
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

// waits is a wait for the marketplace.
func (st Step) waits(why *shopadapter.Error, until time.Time) Step {
	st.Do, st.Refusal, st.until = Wait, why, until
	return st
}

// untitled waits for a translation until FailAfter, and rejects from then on.
func (s *Settings) untitled(st Step, why *shopadapter.Error) Step {
	since := untitledSince(st.in.Rec.UntitledSince, st.in.Now)
	until := since.Time().Add(s.FailAfter)
	if !st.in.Now.Before(until) {
		return s.orOffSale(st, why)
	}
	st.until = until
	st.Do = Wait
	return s.orOffSale(st, shopadapter.Retry(
		"%s: it may be translated yet, and is rejected after %s", why.Error(), until.UTC().Format(time.RFC3339),
	))
}

// untitledSince is since when a listing has had no title. A time ahead does not count: the clock was
// set back since.
func untitledSince(before store.Instant, now time.Time) store.Instant {
	if before == 0 || before > store.At(now) {
		return store.At(now)
	}
	return before
}

// refuse ends a look with the supplier's or the merchant's fault. Where an earlier attempt may have
// put the product on sale, it is taken out before: the report will say that nothing of it is.
func (s *Settings) refuse(st Step, why *shopadapter.Error) Step {
	st.Refusal = why
	if why.Kind == shopadapter.Rejected && st.in.Rec.Open() && st.in.Rec.Sale != OnSale {
		return st.calls(Offline, st.in.Rec)
	}
	return st
}

// orOffSale ends a look at what cannot be written. Where that leaves an earlier version on sale which
// sells at a price, or from a stock, that the supplier does not have any more, it is taken out of
// sale before. why is nil where the problem stands as it is.
func (s *Settings) orOffSale(st Step, why *shopadapter.Error) Step {
	rec := st.in.Rec
	if why == nil {
		st.stands = true
	}
	own := why == nil && !rec.Problem.Wide && !rec.Problem.Gone && !rec.Problem.Hidden || why != nil && !why.ShopWide
	unheard := rec.Open() && rec.Unsure().Has(shopadapter.FieldStock) // it may be out of sale already
	if own && listed(rec) && (unheard || s.sellsWrong(st)) {
		st.Refusal = why
		if why == nil {
			st.Refusal = metAgain(rec.Problem)
		}
		st.stands = false
		return st.calls(Offline, rec)
	}
	switch {
	case why == nil:
		return st
	case st.Do == Wait:
		return st.waits(why, st.until)
	default:
		return s.refuse(st, why)
	}
}

// again is the problem as it was met before.
func metAgain(p Problem) *shopadapter.Error {
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
	rec := st.in.Rec
	if len(st.Rows) == 0 { // nothing was read
		return false
	}
	now := make(map[string]Row, len(st.Rows))
	for _, row := range st.Rows {
		now[row.ID] = row
	}
	for _, v := range rec.Variants {
		w := v.Written
		if w.Price == "" || v.Refused != "" && !v.Unpriced {
			continue
		}
		row, given := now[v.ID]
		left, backorders := max(0, row.Written.Quantity-row.Sold), row.Written.Backorders
		if given && !row.Shown { // its price is not known now
			left = max(0, row.Supply.Quantity-s.StockBuffer-stillSold(v, row.Supply.Quantity, 0))
			backorders = row.Supply.Backorders
		}
		switch {
		case row.Shown && row.Written.Price != w.Price && !s.Keep.Has(shopadapter.FieldPrice):
			return true
		case (left < max(0, w.Quantity-v.Sold) || w.Backorders && !backorders) && !s.Keep.Has(shopadapter.FieldStock):
			return true
		}
	}
	return s.wrong(rec)&figures&^s.Keep != 0
}

// isSoldOut reports whether a product is to be off sale until something of it can be bought. A stock
// that is the merchant's own says nothing of the supplier's, and a price that waits for a person is
// to be seen.
func (s *Settings) isSoldOut(st Step) bool {
	if !s.HideSoldOut || len(st.Product.Variants) == 0 || s.Keep.Has(shopadapter.FieldStock) ||
		slices.ContainsFunc(st.Holds, func(h Hold) bool { return h.Stands() && h.Kind != store.HoldDrift }) {
		return false
	}
	return !slices.ContainsFunc(st.Rows, func(row Row) bool {
		return row.Written.Quantity > 0 || row.Written.Backorders
	})
}

// takeOff takes a product off sale of which nothing can be bought. It stays a publication of ours, and
// no brake counts it as a removal.
func (st Step) takeOff() Step {
	st.soldOut = true
	if rec := st.in.Rec; rec.Sale == OnSale || rec.Unsure() != 0 || rec.Open() {
		return st.calls(Offline, rec)
	}
	return st
}

// byRecord decides without a reading: other rules, what somebody changed in the shop, figures that
// were read alone, and what waits for the shop for too long.
func (s *Settings) byRecord(st Step) Step {
	in, r := st.in, st.in.Rec
	p := r.Problem
	switch {
	case seenBefore(r, in.Mark):
		st.noted = true
		return st
	case s.overdue(r, in.Shut, in.Now):
		st.stands, st.noted = true, true
		return st
	case p.Kind == store.ProblemRejected && strings.HasPrefix(p.Message, skippedBy) && r.WrittenAt == 0:
		return s.staysOut(st)
	case !Repriceable(r) || s.Price.NeedsTerms() && !r.Terms.Known:
		st.Do = Read
		return st
	}
	list := make([]marketplace.Variant, len(r.Variants))
	for i, v := range r.Variants {
		list[i] = suppliedAs(v)
	}
	w := wish{terms: r.Terms}
	s.variants(&w, &marketplace.Listing{Variants: list}, r, in.Now)
	st.Rows, st.terms, st.Product = w.rows, r.Terms, w.product
	s.hold(&st, w.holds, r)
	for i := range st.Rows {
		if st.Rows[i].Shown == (r.Variants[i].Written.Price == "" || r.Variants[i].Unpriced) {
			st.Do = Read // it gained or lost its price
			return st
		}
	}
	for i := range st.Product.Variants {
		v, _ := r.Variant(st.Product.Variants[i].ID)
		st.Product.Variants[i].SKU = v.SKU
	}
	st.Product.ID, st.Product.Title, st.Product.Currency = shopadapter.PublicationID(r.ID), r.Title, s.Currency
	if s.isSoldOut(st) {
		return st.takeOff()
	}
	st.Changed = (st.figuresDiffer() | r.Unsure()&figures | s.wrong(r)) &^ s.Keep
	if driftHeld(st.Holds) {
		st.Changed &^= shopadapter.FieldPrice
	}
	switch {
	case st.Changed&^figures != 0:
		st.Do = Read
		return st
	case st.Changed != 0:
		return st.calls(Figures, r)
	}
	return st
}

// staysOut decides by the record about an entry that a rule keeps out: with thousands of them a change
// of prices would read them all.
func (s *Settings) staysOut(st Step) Step {
	r := st.in.Rec
	price := s.Price.For(r.Terms)
	var offers []offer
	for _, v := range r.Variants {
		q, err := price.Quote(v.Supply.Cost, v.Supply.MSRP)
		if !v.Supply.Known || err != nil || q.Lacks != "" {
			offers = nil
			break
		}
		paid, _ := parseAmount(v.Supply.Cost) //nolint:errcheck // zero is not known
		offers = append(offers, offer{nameOf(v.Title, v.ID), q.Price, paid, v.Supply.Quantity, v.Supply.Backorders})
	}
	why := s.skips(offers, r.Terms)
	if len(offers) == 0 || !r.Terms.Known || why == "" {
		st.Do = Read
		return st
	}
	st.Refusal, st.noted = shopadapter.Reject("%s%s", skippedBy, why), true
	return st
}

// Repriceable reports whether a record tells all that its figures need, and nothing else of it is to
// be done.
func Repriceable(r Record) bool {
	switch {
	case r.Sale != OnSale, r.ShopID == "", r.WrittenAt == 0, len(r.Hashes) == 0, r.Removal != (store.Removal{}),
		r.UntitledSince != 0, r.Problem.Kind != "", r.Open(), r.Unsure()&^figures != 0, r.Reset != 0:
		return false
	}
	priced := false
	for _, v := range r.Variants {
		if !v.Supply.Known || v.ID == "" || v.Refused != "" && !v.Unpriced || v.Written.Price == "" && v.Refused == "" {
			return false
		}
		priced = priced || !v.Unpriced
	}
	return priced
}

// WithFigures is a record with the supplier's figures as read alone; ok is false where the variants
// are others than those of the record, so that the content must be read.
func WithFigures(r Record, seen marketplace.Figures) (out Record, ok bool) {
	if !Repriceable(r) || !seen.Whole || len(seen.Variants) != len(r.Variants) || len(seen.UpdatedAt) > MaxUpdatedAt {
		return r, false
	}
	read := make(map[string]store.Supply, len(seen.Variants))
	for _, v := range seen.Variants {
		read[v.ID] = supplyOf(v)
	}
	r.Variants = slices.Clone(r.Variants)
	for i, v := range r.Variants {
		supply, found := read[v.ID]
		if !found {
			return r, false
		}
		supply.AvailableAt = v.Supply.AvailableAt
		r.Variants[i].Supply = supply
	}
	return r, len(read) == len(r.Variants)
}

// leave decides about an entry that cannot be in the shop: it is gone, or has nothing to show. The
// brake judges it where it was on sale; an entry that was not, and that is on the list, waits.
func (s *Settings) leave(st Step, reason store.RemovalReason) Step {
	in, r := st.in, st.in.Rec
	absent := reason == store.RemovalAbsent
	made := r.ShopID != "" || r.Unsure() != 0 || r.Sale == OnSale
	st.Removal = reason
	wasOnSale := r.Sale == OnSale || r.WrittenAt != 0 && !Tombstone(r) ||
		made && in.Read != nil && in.Read.Status == string(store.StatusSuccess)
	switch {
	case absent && in.Mark.Class <= ClassHook && in.Mark.Seen != "" && in.Mark.Tries < lagTries && !r.Removal.Go:
		// the webhook was ahead of the API
		return st.waits(shopadapter.Retry("the marketplace does not show it yet"), time.Time{})
	case r.Removal.Done && (absent || !Tombstone(r)), keepsOnSale(r, reason) && !r.Removal.Go:
		st.stands = true
		return st
	case !made && absent:
		st.forget = true
		return st
	case !absent && !wasOnSale:
		return s.awaitListing(st, reason)
	case !r.Removal.Go && r.Sale == OnSale:
		st.found = true
		return st
	case absent && s.OnRemoved == RemovedKeep:
		return st
	case absent && s.OnRemoved == RemovedDelete:
		return st.calls(Delete, r)
	}
	return st.calls(Offline, r)
}

// awaitListing has an entry wait for its listing. What an attempt without an answer may have put on
// sale is taken out, and so is what was kept on sale after its entry had gone.
func (s *Settings) awaitListing(st Step, reason store.RemovalReason) Step {
	why, r := "its listing has no variant yet", st.in.Rec
	if reason == store.RemovalNoListing {
		why = "the marketplace shows no listing for it yet"
	}
	st.Removal, st.awaits = "", true
	st = st.waits(shopadapter.Retry("%s", why), time.Time{})
	if r.Unsure() == 0 && !r.Open() && !(Tombstone(r) && r.ShopID != "") {
		return st
	}
	return st.calls(Offline, r)
}

// keepsOnSale reports whether a person declined the removal of what is on sale, for a reason.
func keepsOnSale(r Record, reason store.RemovalReason) bool {
	return r.Sale == OnSale && slices.ContainsFunc(r.Holds, func(h Hold) bool {
		return h.Kind == store.HoldRemoval && h.Verdict == Declined && h.New == string(reason)
	})
}

// wantsPictures reports whether the shop is asked again for pictures that it lacks: late ones when
// they are due, all where a person asks.
func (s *Settings) wantsPictures(st Step, r Record) bool {
	if s.Keep.Has(shopadapter.FieldImages) && r.Hashes[shopadapter.FieldImages] != st.Hashes[shopadapter.FieldImages] {
		return false // they are the merchant's, and the supplier has others by now
	}
	late, now := r.Pictures.LateAt, store.At(st.in.Now)
	return len(r.Pictures.Missing) > 0 &&
		(st.in.asked() || late != 0 && (late <= now || late > now+store.Instant(lateMost.Milliseconds())))
}

// listed reports whether the shop shows a listing as it was written.
func listed(r Record) bool { return r.Sale == OnSale && r.ShopID != "" && r.WrittenAt != 0 }

// after reports whether something happened after a moment. Where the clock was set back since, a
// time ahead of it does not count; those who ask pass a moment of now.
func after(at store.Instant, moment time.Time) bool { return at > store.At(moment) }

// The bounds, in bytes, of what is stored of a marketplace's or shop's answers: well above what any
// was seen to use. An entry or an answer beyond them is refused with a reason.
const (
	MaxIdent     = 1024
	MaxUpdatedAt = 100
	MaxAddress   = 4096
	MaxShopState = 1 << 20
)

// overlong names the part of a publication's content that is too long to be kept, "" for none.
func overlong(pub *marketplace.Publication) string {
	l := pub.Listing
	why := firstBeyond(
		bound{"an updatedAt", len(pub.UpdatedAt), MaxUpdatedAt}, bound{"a status", len(pub.Status), MaxUpdatedAt},
		bound{"a product address", len(pub.ProductURL), MaxAddress}, bound{"a listing's id", len(l.ID), MaxIdent},
		bound{"a product's id", len(l.ProductID), MaxIdent},
	)
	for _, v := range l.Variants {
		if why == "" {
			why = firstBeyond(bound{"a variant's id", len(v.ID), MaxIdent})
		}
	}
	return why
}

// Unkeepable is why an adapter's answer cannot be kept, nil where it can. One of its parts is too
// long, or its id or address shows a secret: the merchant must mend the shop.
func Unkeepable(l shopadapter.Listing, secret func(string) bool) error {
	shown := []string{string(l.ID), l.URL}
	why := firstBeyond(
		bound{"an id", len(l.ID), MaxIdent}, bound{"an address", len(l.URL), MaxAddress},
		bound{"a state", len(l.State), MaxShopState},
	)
	for _, v := range l.Variants {
		shown = append(shown, v.ShopID)
		if why == "" {
			why = firstBeyond(bound{"a variant's id", len(v.ShopID), MaxIdent})
		}
	}
	switch {
	case why != "":
		return shopadapter.Block("the shop answers with %s", why)
	case slices.ContainsFunc(shown, secret):
		return shopadapter.Block("the shop's id or address for this product shows one of the secrets that it was sent: " +
			"it is not kept, since it would be told to others")
	}
	return nil
}

type bound struct {
	what      string
	has, most int
}

func firstBeyond(bounds ...bound) string {
	for _, b := range bounds {
		if b.has > b.most {
			return fmt.Sprintf("%s of %d bytes, at most %d are taken", b.what, b.has, b.most)
		}
	}
	return ""
}
