package publication

import (
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// stale reports whether a listing stays on sale as an earlier version of the supplier's product: what
// the supplier has now is refused, or its removal waits for a person. Nothing of it is written until
// that is mended, but a price that somebody changed in the shop is wrong all the same: it is put
// right by what the record holds.
func stale(r store.Record) bool {
	p := r.Problem
	refused := (p.Kind == store.ProblemRejected || p.Kind == store.ProblemBlocked) && !p.Wide && !p.Gone && !p.Hidden
	waits := r.Removal.Reason != "" && !r.Removal.Go && !r.Removal.Begun && !r.Removal.Done
	return r.OnSale && r.ShopID != "" && r.WrittenAt != 0 && (refused || waits)
}

// rightAttempts is the attempts that the wait before another try is made for. They are not counted:
// the wait is one of minutes from the beginning.
const rightAttempts = 10

// Comparable reports whether the figures of a record can be compared with an observation that began at
// a time. It is what is [Judged], and also a stale listing that was refused before that time: the shop
// then still has the figures that were written last.
func Comparable(r store.Record, since store.Instant) bool {
	return Judged(r, since) || stale(r) && r.WrittenAt < since && r.Problem.Last < since
}

// rights is the figures of a stale listing that are to be put right.
func (p Settings) rights(r store.Record) shopadapter.Fields {
	if !stale(r) {
		return shopadapter.NoFields
	}
	return p.wrong(r) & figures &^ p.Rules.Keep
}

// A righting is a write of figures of a stale listing, before the end of a look.
type righting struct {
	then      event              // how the look ends
	attempted shopadapter.Fields // what was attempted before, and stays so
	open      bool
	sent      []store.Sent
}

// orRight ends the look with an event. Where figures of a stale listing are to be put right, that is
// done before.
func (d Decision) orRight(e event) Decision {
	changed := d.by.rights(d.rec)
	switch {
	case changed == shopadapter.NoFields && e.kind == eventFailed:
		return d.fails(e)
	case changed == shopadapter.NoFields:
		return d.ends(e)
	}
	d.righting = &righting{then: e, attempted: d.rec.Attempted, open: d.rec.Open, sent: d.rec.Sent}
	d.Step, d.Changed = Restock, changed
	d.Product = shopadapter.Product{ID: shopadapter.PublicationID(d.start.ID)}
	d.desired.supply = map[string]store.Supply{}
	for _, v := range d.start.Variants {
		if v.Price == "" || v.Refused != "" {
			continue
		}
		d.Product.Variants = append(d.Product.Variants, shopadapter.Variant{
			ID: v.ID, Title: v.Title, SKU: v.SKU, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity,
			Backorders: v.Backorders,
		})
		d.desired.supply[v.ID] = store.Supply{Known: true, Quantity: offered(v)} // what is sold stays sold
	}
	return d
}

// righted ends a look that had the shop put figures of a stale listing right. What is refused, and
// what was attempted before, is as it was.
func (d Decision) righted(o Outcome, now time.Time) Decision {
	d.rec.Attempted, d.rec.Open, d.rec.Sent = d.righting.attempted, d.righting.open, d.righting.sent
	if o.Err == nil {
		d.restored = d.Changed
		d.putBack(now)
		d.adopt(o.Listing)
		d.correct(d.start.Variants)
		d.rec.Drift = d.corrected(d.rec.Drift, d.start.Variants)
		d.rec.WrittenAt = store.At(now)
		if d.Changed.Has(shopadapter.FieldPrice) {
			d.rec.Sent = nil // the shop shows the recorded price
			d.rec.Holds, d.rec.Approved = without(d.rec.Holds, isDriftHold), without(d.rec.Approved, isDriftHold)
		}
		d.Result = Updated
		return d.ends(d.righting.then)
	}
	for _, cannot := range []error{shopadapter.ErrWhole, shopadapter.ErrGone, shopadapter.ErrHidden} {
		if errors.Is(o.Err, cannot) { // no figures alone, and the whole is refused; or it is not on sale any more
			return d.ends(d.righting.then)
		}
	}
	err := shopadapter.Explain(o.Err)
	if d.retries = err.Kind == shopadapter.Transient; !d.retries {
		d.addHistory("what somebody changed in the shop cannot be put right: "+err.Error(), now)
	}
	return d.ends(d.righting.then)
}

// sound is what was observed of a stale listing, without what may be an attempt's that was refused.
func sound(r store.Record, o shopadapter.Observed) shopadapter.Observed {
	if stale(r) {
		o.Images = -1
		o.Compared &^= r.Attempted
		o.Edited &^= r.Attempted
	}
	if r.Open {
		o.Untold |= r.Attempted & shopadapter.FieldStock
	}
	return o
}

// sentAs reports whether the price that a variant has in the shop may be that of an attempt whose end
// is not known.
func sentAs(r store.Record, seen shopadapter.ObservedVariant, v store.Variant) bool {
	return slices.ContainsFunc(r.Sent, func(s store.Sent) bool {
		return s.Variant == v.ID && !repriced(store.Variant{Price: s.Price}, seen, shopadapter.Prices{})
	})
}
