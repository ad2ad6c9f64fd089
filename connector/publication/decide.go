package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Decider says what is to be done about a publication. The same arguments lead to the same
// decision, except for the jitter of Settings.Backoff.
//
// A look is a chain of decisions. The first follows from what was read, each further one from the
// result of the last step. The chain ends with a decision whose step is Settle.
//
//	d := decider.Decide(record, mark, seen)
//	for d.Step != Settle {
//		switch d.Step {
//		case Compare:            d = d.Compared(facts)
//		case Publish, Unpublish: d = d.Concluded(outcome, now)
//		}
//	}
//	settlement := d.Settlement(now)
type Decider struct {
	Settings
	mapper *mapper
}

// NewDecider makes the decider of some settings.
func NewDecider(s Settings) *Decider {
	return &Decider{Settings: s, mapper: newMapper(s.Rules, s.Brake)}
}

// Seen is the result of one reading of a publication.
type Seen struct {
	Publication *marketplace.Publication // nil: the marketplace says that there is none
	Err         *shopadapter.Error       // nil, or why there is no reading
	At          time.Time                // when it was asked for
}

// A Step is what is to be done next in a look.
type Step int

// The steps.
const (
	Settle Step = iota // the settlement is to be made durable
	// find out the SKUs that the store would give, and what the adapter would write differently now
	Compare
	Publish   // the shop is to hold Product
	Unpublish // the shop is to take the listing out of sale, or to delete it
	Restock   // the shop is to hold the figures of Product's variants, and nothing else of it changes
	// the shop could not accept figures alone, and did nothing: undo the attempt, and read the
	// publication in full
	Reread
)

// A Result is what a look did, for the counts of a run.
type Result int

// The results.
const (
	NoResult Result = iota
	Created
	Updated
	Unchanged
	Withdrawn
)

// A Decision is the next step of a look, with all that is known by then.
type Decision struct {
	Step    Step
	Product shopadapter.Product // of Publish; of Restock it has variants alone
	Changed shopadapter.Fields  // of Publish and Restock: the groups to write
	Removal shopadapter.Removal // of Unpublish
	Result  Result              // of Settle
	Failure *shopadapter.Error  // of Settle: why the look failed, nil where it did not
	Lacks   string              // of Settle: what the marketplace must show before the look can succeed, "" for nothing

	by    *Decider
	mark  store.Mark
	start store.Record             // as it was when the look began
	rec   store.Record             // as it becomes
	pub   *marketplace.Publication // nil: gone
	asked time.Time

	desired desired
	priced  []shopadapter.Variant // the variants with the prices that are not written while drift is held
	print   fingerprint
	again   shopadapter.Fields // groups that are asked for again, of which the supplier changed nothing
	anew    bool               // listed again after its removal: to be reported, whatever the marketplace holds
	strange bool               // another tool made it: the marketplace's status is not about us
	remade  bool               // its listing was deleted in the shop
	// of Unpublish: how the look ends once a listing is out that an earlier attempt may have made
	clearing *event
	// of Unpublish: why it is to be off sale, where that is until something of it can be bought
	unsellable string
	end        event // of Settle
	unanswered bool  // of Settle: what a person asked for is still to be done
	forget     bool  // of Settle: no trace is kept
	found      bool  // of Settle: a removal waits for the brake
	figured    bool  // figures alone were read
	repriced   bool  // and they came from the record, not from the marketplace
}

// Decide is the first decision about a publication whose mark led to a look.
func (by *Decider) Decide(r store.Record, m store.Mark, seen Seen) Decision {
	d := Decision{by: by, mark: m, start: r, rec: r, pub: seen.Publication, asked: seen.At}
	if seen.Err != nil {
		return d.ends(event{kind: eventFailed, err: seen.Err})
	}
	d.rec.ReadAt = store.At(seen.At)
	d.rec.RemainderSince, d.rec.FiguresAt = 0, 0
	if reason := mustGo(d.pub); reason != "" {
		return d.leave(reason)
	}
	if why := overlong(d.pub); why != "" {
		if len(d.pub.UpdatedAt) <= MaxUpdatedAt {
			d.rec.UpdatedAt, d.rec.ContentAt = d.pub.UpdatedAt, ""
		}
		d.pub = nil // none of it is used
		return d.fails(event{kind: eventFailed, err: shopadapter.Reject("the marketplace gives %s", why)})
	}
	d.recordEntry()
	switch {
	case isForeign(d.pub, d.rec, by.lists()):
		d.foreign()
		return d.ends(event{kind: eventStands})
	case d.staysHidden():
		return d.ends(event{kind: eventStands})
	}
	before := d.rec
	before.Unread = d.start.Unread
	d.desired = by.mapper.desire(d.pub, before, d.asked)
	d.rec.Terms = d.desired.terms
	d.rec.Variants = supplied(d.rec.Variants, d.desired.supply)
	if d.Lacks = d.desired.waits; d.Lacks != "" {
		return d.ends(event{kind: eventWaiting, err: shopadapter.Retry("%s", d.Lacks)})
	}
	d.desired.product.Draft = d.drafts()
	d.Product = d.desired.product
	if driftHeld(d.start) {
		d.priced = slices.Clone(d.Product.Variants)
		asWritten(d.Product.Variants, d.start)
	}
	d.rec.UntitledSince = untitledSince(d.rec.UntitledSince, d.Product.Title, d.asked)
	d.rec.Holds = append(d.keepSince(d.desired.holds), driftHolds(d.start)...)
	d.rec.Declined = d.stillDeclined()
	if d.desired.untitled {
		return d.orOffSale(by.untitled(d.rec, d.desired.problem, d.asked))
	}
	d.rec.Title = d.Product.Title
	if why := d.skipped(); why != "" {
		d.rec.Holds, d.rec.Offers = nil, d.desired.given
		return d.fails(event{kind: eventFailed, err: shopadapter.Reject("%s%s", skippedBy, why)})
	}
	if why := by.Rules.unsellable(d.desired); why != "" && !d.Product.Draft {
		return d.offSale(why)
	}
	d.rec.Unsellable = ""
	if d.desired.problem != nil {
		return d.orOffSale(event{kind: eventFailed, err: d.desired.problem, content: fingerprintOf(d.Product).content()})
	}
	if d.desired.withheld {
		if p := d.rec.Problem; !p.Hidden && !p.Gone {
			d.rec.Problem = store.Problem{}
		}
		return d.ends(event{kind: eventStands})
	}
	if d.rec.WrittenAt == 0 && len(d.start.Problem.Content) == 0 { // nothing to compare with
		return d.publish(shopadapter.AllFields)
	}
	d.Step = Compare
	return d
}

// ends is the decision that ends the look with an event.
func (d Decision) ends(e event) Decision {
	d.Step, d.end = Settle, e
	if e.kind == eventFailed {
		d.Failure = e.err
	}
	return d
}

// fails is the decision that ends a failed look. Where an earlier attempt may have put the product
// on sale, it is taken out of sale before it is rejected: the report will say that nothing is on
// sale.
func (d Decision) fails(e event) Decision {
	if e.err.Kind != shopadapter.Rejected || !d.start.Open || d.rec.OnSale {
		return d.ends(e)
	}
	d.Step, d.Removal, d.clearing = Unpublish, shopadapter.TakeOffline, &e
	return d
}

// recordEntry records what the marketplace says of the entry itself.
func (d *Decision) recordEntry() {
	if removal := d.rec.Removal; removal.Done || removal.Begun {
		d.anew = removal.Reason == store.RemovalAbsent
		if removal.Begun && d.anew && d.by.OnRemoved == RemovedDelete {
			d.forgetListing()
		}
		d.rec.OnSale = false
		d.rec.Attempted = shopadapter.AllFields
		if d.anew {
			d.listedAgain()
		}
	}
	forgetDeclined(&d.rec, store.HoldRemoval)
	d.rec.Offers = nil
	d.rec.Removal, d.rec.Unread = store.Removal{}, d.unread()
	d.rec.UpdatedAt, d.rec.ContentAt = d.pub.UpdatedAt, ""
	d.rec.Listing, d.rec.Product = d.pub.Listing.ID, d.pub.Listing.ProductID
	if d.rec.ListedAt == 0 {
		d.rec.ListedAt = store.At(d.asked)
	}
}

// listedAgain records that an entry that was gone is on the list again. It is reported anew.
func (d *Decision) listedAgain() {
	d.anew = true
	d.rec.ListedAt = store.At(d.asked)
	d.rec.Reported, d.rec.ReportedURL = "", ""
}

// foreign holds an entry that another tool made: the marketplace calls it a success, and neither
// the store nor the shop knows it.
func (d *Decision) foreign() {
	d.strange = true
	d.rec.Title = d.by.mapper.desire(d.pub, d.rec, d.asked).product.Title
	if no, ok := declinedOf(d.rec, store.HoldForeign, ""); ok {
		d.rec.Holds, d.rec.Problem = nil, keptOut(d.rec.Problem, no)
		return
	}
	d.rec.Holds = d.keepSince([]store.Hold{{Kind: store.HoldForeign, Reason: foreignReason}})
	d.rec.Problem = store.Problem{}
}

// foreignReason names what can have happened to an entry that neither the store nor the shop knows.
const foreignReason = "the marketplace says that it is on sale already, and the shop does not hold it as ours: " +
	"another tool made it, or the store that knew it was replaced"

// isForeign reports whether another tool made the listing of an entry. Only an adapter that lists
// what it made can show that.
func isForeign(pub *marketplace.Publication, r store.Record, lists bool) bool {
	ours := r.ShopID != "" || r.WrittenAt != 0 || r.Attempted != 0 || r.ReportedAt != 0
	if ours || !lists || approved(r.Approved, store.Hold{Kind: store.HoldForeign}) {
		return false
	}
	return pub.Status == string(store.StatusSuccess) || leftToOther(r)
}

// staysHidden reports whether a listing that was taken out of sale by hand is left alone. It is,
// until a person asks for it or the shop lists it as on sale again. An adapter that cannot list is
// given each change, and returns ErrHidden while the listing is hidden.
func (d *Decision) staysHidden() bool {
	return d.rec.Problem.Hidden && d.by.lists() && !d.named()
}

// named reports whether a person asked for this publication.
func (d *Decision) named() bool { return d.mark.Cause&store.CauseAsked != 0 }

func (d *Decision) keepSince(holds []store.Hold) []store.Hold {
	for i, h := range holds {
		holds[i].Since = store.At(d.asked)
		if before, ok := sameHold(d.start.Holds, h); ok {
			holds[i].Since, holds[i].Cause = before.Since, before.Cause
		}
	}
	return holds
}

// forgetListing drops what is known of a listing that does not exist any more.
func (d *Decision) forgetListing() {
	d.remade = true
	d.rec.ShopID, d.rec.ShopState, d.rec.URL, d.rec.WrittenAt = "", nil, "", 0
	d.rec.AddressListed = false
	d.rec.Variants, d.rec.Sent, d.rec.Hashes, d.rec.Given, d.rec.Kept = nil, nil, nil, 0, 0
	forgetPictures(&d.rec)
	forgetDrift(&d.rec)
	d.rec.OnSale = false
}

// publish is the decision to write the product to the shop.
func (d Decision) publish(changed shopadapter.Fields) Decision {
	if d.named() && d.start.Problem.Hidden {
		changed = shopadapter.AllFields &^ d.Product.Unknown
	}
	if d.named() && d.start.Problem.Gone {
		d.forgetListing()
		changed = shopadapter.AllFields
	}
	d.Step, d.Changed = Publish, changed
	return d
}

// Ref names the listing to the adapter.
func (d Decision) Ref() shopadapter.Ref {
	asked := d.named() || d.mark.Class == store.ClassFull && d.mark.Cause&store.CauseRead != 0
	ref := RefOf(d.rec, asked)
	left := d.start.OnSale && d.start.Attempted == 0 && !d.start.Open || d.start.Problem.Hidden
	ref.OnSale = left && !d.named() && !d.remade
	ref.Revive = d.revives() || d.takesBack()
	return ref
}

// RefOf names a record's listing to an adapter; asked says whether a person waits for the call.
func RefOf(r store.Record, asked bool) shopadapter.Ref {
	return shopadapter.Ref{
		Publication: shopadapter.PublicationID(
			r.ID,
		), Listing: shopadapter.ListingID(r.ShopID), State: slices.Clone(r.ShopState), Reset: r.Reset, Asked: asked,
	}
}
