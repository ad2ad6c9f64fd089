package publication

import (
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// stale reports whether a listing stays on sale as an earlier version of the supplier's product: what
// the supplier has now is refused or has no title, or its removal waits for a person. Nothing but
// figures is written until that is mended: a price that somebody changed in the shop is wrong all the
// same, and what the supplier has sold out must not be sold.
func stale(r store.Record) bool {
	p := r.Problem
	refused := (p.Kind == store.ProblemRejected || p.Kind == store.ProblemBlocked) && !p.Wide && !p.Gone && !p.Hidden
	waits := r.Removal.Reason != "" && !r.Removal.Go && !r.Removal.Begun && !r.Removal.Done
	return listed(r) && (refused || waits || r.UntitledSince != 0)
}

// listed reports whether the shop shows a listing as it was written.
func listed(r store.Record) bool { return r.OnSale && r.ShopID != "" && r.WrittenAt != 0 }

// rightAttempts is the attempts that the wait before another try is made for. They are not counted:
// the wait is one of minutes from the beginning.
const rightAttempts = 10

// Comparable reports whether the figures of a record can be compared with an observation that began at
// a time. It is what is [Judged], and also a stale listing that was refused before that time: the shop
// then still has the figures that were written last.
func Comparable(r store.Record, since store.Instant) bool {
	return Judged(r, since) || stale(r) && r.WrittenAt < since && r.Problem.Last < since
}

// A righting is a write of figures of a stale listing, before the end of a look.
type righting struct {
	then      event              // how the look ends
	attempted shopadapter.Fields // what was attempted before, and stays so
	open      bool
	sent      []store.Sent
	moves     bool // the figures are not those of the record: the supplier has moved them
}

// orRight ends the look with an event. Where the listing stays on sale as an earlier version, and
// figures of it differ from those that it is to have, they are written before.
func (d Decision) orRight(e event) Decision {
	var variants []shopadapter.Variant
	var supply map[string]store.Supply
	var changed, moves shopadapter.Fields
	if becomesStale(d.rec, e) {
		// figures that were just refused would be refused again
		tried := (d.Step == Publish || d.Step == Restock) && d.Changed&^figures == shopadapter.NoFields
		variants, supply = d.standing(!tried)
		moves = differingFigures(variants, d.rec) &^ d.by.Rules.Keep
		changed = moves | d.by.wrong(d.rec)&figures&^d.by.Rules.Keep
	}
	if driftHeld(d.rec) {
		changed &^= shopadapter.FieldPrice
	}
	if changed == shopadapter.NoFields {
		if e.kind == eventFailed {
			return d.fails(e)
		}
		return d.ends(e)
	}
	d.righting = &righting{
		then: e, attempted: d.rec.Attempted, open: d.rec.Open, sent: d.rec.Sent, moves: moves != shopadapter.NoFields,
	}
	d.Step, d.Changed = Restock, changed
	d.Product = shopadapter.Product{ID: shopadapter.PublicationID(d.start.ID), Variants: variants}
	d.desired.supply = supply
	return d
}

// becomesStale reports whether a listing is stale once a look has ended with an event.
func becomesStale(r store.Record, e event) bool {
	if e.kind == eventFailed {
		return listed(r) && e.err.Kind != shopadapter.Transient && !e.err.ShopWide && !e.gone && !e.hidden
	}
	return stale(r)
}

// standing is the variants that the shop shows, with the figures that they are to have there: those
// of the record, or with follow those of the supplier where they were read. One without a price now
// keeps the last one, and one that the supplier no longer has is sold out.
func (d Decision) standing(follow bool) (variants []shopadapter.Variant, supply map[string]store.Supply) {
	supply = make(map[string]store.Supply, len(d.start.Variants))
	read := follow && len(d.desired.supply) > 0
	desired := byID(d.desired.product.Variants)
	for _, v := range d.start.Variants {
		if v.Price == "" || v.Refused != "" {
			continue
		}
		out := shopadapter.Variant{
			ID: v.ID, Title: v.Title, SKU: v.SKU, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity,
			Backorders: v.Backorders,
		}
		given, known := d.desired.supply[v.ID]
		now, priced := desired[v.ID]
		switch {
		case !read:
			given = store.Supply{Known: true, Quantity: offered(v)} // what is sold stays sold
		case priced:
			out.Price, out.Cost, out.MSRP = now.Price, now.Cost, now.MSRP
			out.Quantity, out.Backorders = now.Quantity, now.Backorders
		case known:
			out.Quantity, out.Backorders = max(0, given.Quantity-d.by.Rules.StockBuffer), given.Backorders
		default:
			out.Quantity, out.Backorders = 0, false
		}
		variants, supply[v.ID] = append(variants, out), given
	}
	return variants, supply
}

// righted ends a look that had the shop write figures of a stale listing. What is refused, and what
// was attempted before, is as it was.
func (d Decision) righted(o Outcome, now time.Time) Decision {
	var err *shopadapter.Error
	if o.Err != nil {
		err = shopadapter.Explain(o.Err)
	}
	if err == nil || !d.righting.moves || err.Kind != shopadapter.Transient { // else the shop may show what was sent
		d.rec.Attempted, d.rec.Open, d.rec.Sent = d.righting.attempted, d.righting.open, d.righting.sent
	}
	if err == nil {
		d.restored = d.Changed
		d.putBack(now)
		d.adopt(o.Listing)
		if d.righting.moves {
			d.addHistory("updated "+d.Changed.String()+" of the version on sale", now)
		}
		d.rec.Variants = d.refigured(d.rec.Variants)
		d.correct(d.rec.Variants)
		d.rec.Drift = d.corrected(d.rec.Drift, d.rec.Variants)
		d.rec.WrittenAt = store.At(now)
		if d.Changed.Has(shopadapter.FieldPrice) {
			d.rec.Sent = nil // the shop shows the recorded price
			spent := func(h store.Hold) bool { return isDriftHold(h) || d.wrotePrice(h) }
			d.rec.Holds, d.rec.Approved = without(d.rec.Holds, isDriftHold), without(d.rec.Approved, spent)
		}
		d.Result = Updated
		return d.ends(d.righting.then)
	}
	for _, cannot := range []error{shopadapter.ErrWhole, shopadapter.ErrGone, shopadapter.ErrHidden} {
		if errors.Is(o.Err, cannot) { // no figures alone, and the whole is refused; or it is not on sale any more
			return d.ends(d.righting.then)
		}
	}
	if d.retries = err.Kind == shopadapter.Transient; !d.retries {
		d.addHistory("the figures of the version on sale cannot be written: "+err.Error(), now)
	}
	return d.ends(d.righting.then)
}

// byID is variants by their ids: a listing may have a hundred thousand, and searching them for each
// would take minutes.
func byID(variants []shopadapter.Variant) map[string]shopadapter.Variant {
	by := make(map[string]shopadapter.Variant, len(variants))
	for _, v := range variants {
		by[v.ID] = v
	}
	return by
}

// refigured is the variants of a record with the figures that were written.
func (d *Decision) refigured(variants []store.Variant) []store.Variant {
	out, wrote := slices.Clone(variants), byID(d.Product.Variants)
	for i := range out {
		v := &out[i]
		p, ok := wrote[v.ID]
		if !ok {
			continue
		}
		if d.Changed.Has(shopadapter.FieldPrice) {
			v.Price, v.Cost, v.MSRP = p.Price, p.Cost, p.MSRP
		}
		if d.Changed.Has(shopadapter.FieldStock) {
			v.Quantity, v.Backorders, v.Offered = p.Quantity, p.Backorders, d.desired.supply[p.ID].Quantity
		}
	}
	return out
}

// wrotePrice reports whether an approval was for a price that was written.
func (d *Decision) wrotePrice(h store.Hold) bool {
	return h.Kind != store.HoldFirstPrice && slices.ContainsFunc(d.Product.Variants, func(v shopadapter.Variant) bool {
		return v.ID == h.Variant && v.Price == h.New
	})
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
