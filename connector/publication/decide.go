package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Input is all that one decision goes by.
type Input struct {
	Rec    store.Record
	Mark   store.Mark
	Read   *marketplace.Publication // nil: by the record
	Hint   uint64                   // the number of the hint that was there when it was asked for; 0: none
	Gone   bool                     // the marketplace says that there is no such publication
	Fresh  bool                     // by the record, and its figures were just read, see WithFigures
	Owners map[string]string        // who holds the SKUs that Settings.SKUs names: publication by store.SKUKey
	Lists  bool                     // the shop can list what it holds of ours
	Shut   string                   // why the shop cannot be used now, "" where it can
	Now    time.Time                // the store's clock, when the reading was asked for
}

func (in Input) asked() bool { return in.Mark.Class == store.ClassAsked }

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
	Do Do
	wish
	Changed shopadapter.Fields
	Ref     shopadapter.Ref
	Holds   []store.Hold // in force from now on, with their verdicts
	Hashes  map[shopadapter.Fields]uint64
	Refusal *shopadapter.Error  // why it is not as it should be, beside Nothing, Wait and Offline
	Removal store.RemovalReason // why it leaves, of Offline, Delete and a Nothing that the brake is to judge

	in      Input
	content uint64    // of what was refused
	until   time.Time // of Wait: it ends then; zero: it does not

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

// Calls reports whether a step calls the shop, so that it is begun and ended by an attempt.
func (st Step) Calls() bool { return st.Do >= Publish }

// Before is the record that the step was decided on.
func (st Step) Before() store.Record { return st.in.Rec }

// Unchanged reports whether a step finds that the shop holds what it should.
func (st Step) Unchanged() bool {
	return st.Do == Nothing && st.Refusal == nil && st.Removal == "" && !st.stands && !st.noted && !st.awaits && !st.forget
}

// Creates reports whether a step makes a listing that the shop does not have.
func (st Step) Creates() bool {
	r := st.in.Rec
	// a try that failed may have left a draft; what was taken over is there
	unmade := r.ShopID == "" || r.Sale != store.OnSale && r.Problem.Kind != ""
	return st.Do == Publish && (r.WrittenAt == 0 && unmade || st.remade)
}

// Removed reports whether a step takes a listing away because its entry cannot be in the shop.
func (st Step) Removed() bool { return st.Removal != "" && st.Calls() }

// FoundRemoval reports whether a removal is to be judged by the brake.
func (st Step) FoundRemoval() bool { return st.found }

// Lacks is what a step waits for, "" where the marketplace shows all.
func (st Step) Lacks() string {
	if st.Do == Wait && st.Refusal != nil {
		return st.Refusal.Error()
	}
	return ""
}

// OwesRest reports whether a step writes figures that were read alone, so that the rest of the change is
// still to be read.
func (st Step) OwesRest() bool { return st.in.Fresh && st.in.Mark.Class != store.ClassRefresh }

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
		return st.refuse(shopadapter.Reject("the marketplace gives %s", why))
	}
	rec := in.Rec
	st.remade = s.takeIn(&rec, st)
	byHand := rec.Problem.Hidden || rec.Problem.Gone
	switch {
	case isForeign(rec, in):
		return s.foreign(st)
	case in.Rec.ReadAt == 0 && rec.ShopID != "" && rec.Sale == store.Off && !rec.Open() && len(rec.Variants) > 0 &&
		in.Read.Status == string(store.StatusSuccess):
		st.hidden, st.stands = true, true // taken over as it stands
		return st
	case rec.Problem.Hidden && in.Lists && !in.asked():
		st.stands = true
		return st
	}
	st.wish = s.wish(in.Read, rec, in.Now)
	if st.awaited != "" {
		return st.waits(st.awaited)
	}
	s.hold(&st, rec)
	st.Product.Draft = s.AsDraft && (rec.Sale == store.Draft || rec.WrittenAt == 0 && rec.Sale != store.OnSale)
	if st.untitled {
		return s.waitForTitle(st)
	}
	label(&st.Product, in.Rec, in.Owners)
	st.Product.Unknown = s.unknown(rec, in.Read.Listing, st.wish)
	st.Hashes = hashesOf(st.Product)
	st.content = contentOf(st.Rows, st.Hashes)
	if rec.Sale == store.Off && !byHand {
		if why := s.skips(st.offers, st.terms); why != "" {
			st.Holds, st.content = nil, 0
			return st.refuse(shopadapter.Reject("%s%s", skippedBy, why))
		}
	}
	switch {
	case s.isSoldOut(st) && !st.Product.Draft && byHand:
		st.stands = true
		return st
	case s.isSoldOut(st) && !st.Product.Draft:
		return st.takeOff()
	case st.problem != nil:
		return s.orOffSale(st, st.problem)
	case st.withheld:
		st.stands, st.clears = true, !byHand
		return st
	}
	return s.compare(st, rec)
}

// takeIn takes a reading into the record, and reports whether the listing is known to be deleted, so
// that it is made anew. The step is decided on such a record, and its end is applied to the record as
// it is then.
func (s *Settings) takeIn(r *store.Record, st Step) (remade bool) {
	pub, now := st.in.Read, st.in.Now
	was, since := r.Removal, r.Removal != st.in.Rec.Removal // since: it was found gone after this was asked for
	if (was.Done || was.Begun) && !since {
		absent := was.Reason == store.RemovalAbsent
		if was.Begun && absent && s.OnRemoved == RemovedDelete {
			forgetListing(r)
			remade = true
		}
		r.Dirty = shopadapter.AllFields
		if r.Sale != store.Draft {
			r.Sale = store.Off
		}
		if absent {
			listedAgain(r, now)
		}
	}
	if !since {
		r.Removal = store.Removal{}
		r.Holds = without(r.Holds, isRemoval)
	}
	takeIDs(r, pub, now)
	if r.ListedAt == 0 {
		r.ListedAt = store.At(now)
	}
	return remade
}

// takeIDs takes in what the marketplace says of the entry itself. Our own report's updatedAt stays
// beside that of the content where it came after the reading.
func takeIDs(r *store.Record, pub *marketplace.Publication, now time.Time) {
	if r.UpdatedAt != pub.UpdatedAt || r.ReportedAt <= store.At(now) {
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

// isForeign reports whether another tool made the listing of an entry: the marketplace calls it a
// success, and neither the store nor the shop knows it. Only a shop that lists can show that.
func isForeign(r store.Record, in Input) bool {
	ours := r.ShopID != "" || r.WrittenAt != 0 || r.Unsure() != 0 || r.ReportedAt != 0
	return !ours && in.Lists && !hasHold(r.Holds, store.HoldForeign, store.Approved) &&
		(in.Read.Status == string(store.StatusSuccess) || hasHold(r.Holds, store.HoldForeign, store.Declined))
}

func (s *Settings) foreign(st Step) Step {
	j := judge{s: s, rec: st.in.Rec, now: st.in.Now}
	h, _ := j.trips(store.Hold{
		Kind: store.HoldForeign,
		Reason: "the marketplace says that it is on sale already, and the shop does not hold it as ours: another tool " +
			"made it, or the store that knew it was replaced",
	})
	s.texts(&st.wish, st.in.Read.Listing)
	st.Holds, st.judged, st.stands, st.clears = j.holds, true, true, true
	if h.Verdict == store.Declined {
		st.stands, st.Refusal = false, shopadapter.Reject("%s", keptOutText(h))
	}
	return st
}

func (st Step) calls(do Do, rec store.Record) Step {
	in := st.in
	st.Do = do
	left := in.Rec.Sale == store.OnSale && !in.Rec.Open() || in.Rec.Problem.Hidden
	approves := slices.ContainsFunc(st.Holds, func(h store.Hold) bool { return h.Verdict == store.Approved })
	st.Ref = shopadapter.Ref{
		Publication: shopadapter.PublicationID(rec.ID), Listing: shopadapter.ListingID(rec.ShopID), State: rec.ShopState,
		OnSale: left && !in.asked() && !st.remade, Asked: in.asked(), Reset: rec.Reset,
		Revive: in.asked() && !approves &&
			(slices.ContainsFunc(rec.Variants, isOff) || rec.Problem.Kind == store.ProblemBlocked),
	}
	return st
}

func (st Step) waits(why string) Step {
	st.Do, st.Refusal = Wait, shopadapter.Retry("%s", why)
	return st
}

// waitForTitle waits for a translation until FailAfter, and rejects from then on.
func (s *Settings) waitForTitle(st Step) Step {
	until := untitledSince(st.in.Rec.UntitledSince, st.in.Now).Time().Add(s.FailAfter)
	if !st.in.Now.Before(until) {
		return s.orOffSale(st, st.problem)
	}
	st.until, st.Do = until, Wait
	return s.orOffSale(st, shopadapter.Retry(
		"%s: it may be translated yet, and is rejected after %s", st.problem.Error(), until.UTC().Format(time.RFC3339),
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
func (st Step) refuse(why *shopadapter.Error) Step {
	st.Refusal = why
	if why.Kind == shopadapter.Rejected && st.in.Rec.Open() && st.in.Rec.Sale != store.OnSale {
		return st.calls(Offline, st.in.Rec)
	}
	return st
}
