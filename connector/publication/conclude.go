package publication

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Outcome is how the shop answered a step. Its texts are already cut to the length that is kept.
type Outcome struct {
	Listing shopadapter.Listing // of Publish; beside an error it is what is known so far
	Instead string              // of Unpublish: what the shop did instead, "" where it did what it was asked for
	Err     error               // as the adapter gave it
}

// Concluded is the decision that follows the shop's answer to a Publish, a Restock or an Unpublish.
func (d Decision) Concluded(o Outcome, now time.Time) Decision {
	switch {
	case d.Step == Restock && errors.Is(o.Err, shopadapter.ErrWhole):
		d.Step = Reread
		return d
	case d.Step == Restock:
		return d.published(o, now)
	case d.Step == Publish:
		return d.published(o, now)
	case d.clearing != nil:
		return d.tookOut(o, now)
	case o.Err != nil:
		return d.ends(event{kind: eventFailed, err: shopadapter.Explain(o.Err)})
	case d.unsellable != "":
		return d.wentOff(o.Instead, now)
	default:
		d.addHistory(o.Instead, now)
		return d.withdrawn()
	}
}

// endAttempt records that the end of every attempt is known.
func endAttempt(r *store.Record) { r.Attempted, r.Open, r.Sent = 0, false, nil }

// addHistory adds a line to the history, unless it is empty.
func (d *Decision) addHistory(what string, now time.Time) {
	if what != "" {
		d.rec.History = appendHistory(d.rec.History, what, now)
	}
}

// published decides what follows a write.
func (d Decision) published(o Outcome, now time.Time) Decision {
	err := o.Err
	gone, hidden := errors.Is(err, shopadapter.ErrGone), errors.Is(err, shopadapter.ErrHidden)
	switch {
	case gone:
		err = shopadapter.Block(
			"the listing was deleted in the shop by hand: `pubsync retry %s` brings it back", d.rec.ID,
		)
	case hidden:
		err = shopadapter.Block("%s", hiddenMessage(d.rec.ID))
	}
	d.adopt(o.Listing)
	if err == nil && d.allRefused(o.Listing) {
		d.rec.OnSale = false
		err = shopadapter.Reject("the shop refused every variant: %s", firstReason(o.Listing.Refused))
	}
	if err != nil {
		e := event{kind: eventFailed, err: shopadapter.Explain(err), gone: gone, hidden: hidden}
		if e.err.Kind == shopadapter.Rejected { // the shop shows none of the sent prices
			d.rec.Sent = d.start.Sent
		}
		if !d.figured { // else the content was not read
			e.content = d.print.content()
		}
		if e.err.Kind == shopadapter.Transient || gone || hidden {
			return d.fails(e)
		}
		return d.orOffSale(e)
	}
	created := d.Creates()
	d.putBack(now)
	d.remember(o.Listing)
	d.rec.Kept = d.rec.Kept&^d.Changed | o.Listing.Kept
	if d.figured {
		d.Result = d.wrote(false, nil, now)
		return d.ends(event{kind: eventPublished})
	}
	e := event{
		kind: eventPublished, missing: missingOf(o.Listing.Missing), unread: d.owed(),
		draft:  o.Listing.Draft && d.Product.Draft,
		images: created || d.Changed.Has(shopadapter.FieldImages) || len(o.Listing.Missing) > 0,
	}
	if e.images {
		d.pictured(len(e.missing))
	}
	d.Result = d.wrote(created, e.missing, now)
	d.addMissing(e.missing, now)
	return d.ends(e)
}

// Creates reports whether a Publish makes a listing that the shop does not have.
func (d Decision) Creates() bool {
	// a try that failed may have left a draft; what a rebuild found on sale is there
	unmade := d.start.ShopID == "" || !d.start.OnSale && d.start.Problem.Kind != ""
	return d.Step == Publish && (d.rec.WrittenAt == 0 && unmade || d.remade)
}

func (d *Decision) allRefused(l shopadapter.Listing) bool {
	if len(l.Refused) == 0 {
		return false
	}
	for _, v := range d.Product.Variants {
		if _, refused := l.Refused[v.ID]; !refused {
			return false
		}
	}
	return true
}

// adopt records what the adapter learned, even beside an error. An address that is no web address
// is never reported.
func (d *Decision) adopt(l shopadapter.Listing) {
	if l.ID == "" {
		return
	}
	if d.rec.ShopID != string(l.ID) {
		d.rec.AddressListed = false
	}
	d.rec.ShopID = string(l.ID)
	d.rec.ShopState = l.State
	if d.rec.AddressListed {
		return
	}
	d.rec.URL = ""
	if isWebAddress(l.URL) {
		d.rec.URL = l.URL
	}
}

// remember records what the shop holds now: the hashes of the groups, and each variant's figures.
func (d *Decision) remember(l shopadapter.Listing) {
	if !d.figured {
		d.rec.Title, d.rec.Language = d.Product.Title, d.Product.Language
		d.rec.Hashes, d.rec.HashRule = d.print.keeping(d.start, d.Product.Unknown), hashRule
		d.rec.Given = d.given()
	}
	d.rec.Approved, d.rec.ApprovedBy = nil, ""
	shopIDs := make(map[string]store.Variant, len(d.start.Variants))
	for _, v := range d.start.Variants {
		shopIDs[v.ID] = v
	}
	ids, variants := l.ShopIDs(), make([]store.Variant, 0, len(d.Product.Variants)+len(d.desired.refused))
	for _, v := range d.Product.Variants {
		out := store.Variant{
			ID: v.ID, ShopID: ids[v.ID], SKU: v.SKU, Title: v.Title, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP,
			Quantity: v.Quantity, Backorders: v.Backorders, Refused: l.Refused[v.ID], Supplied: d.desired.supply[v.ID],
			Offered: d.desired.supply[v.ID].Quantity,
		}
		if l.ID == "" { // nothing was written: refused variants stay refused
			out.ShopID, out.Refused = shopIDs[v.ID].ShopID, shopIDs[v.ID].Refused
		}
		variants = append(variants, out)
	}
	before := writtenVariants(d.start)
	for _, id := range slices.Sorted(maps.Keys(d.desired.refused)) {
		out := before[id]
		out.ID, out.Title, out.Refused, out.Unpriced = id, d.desired.titles[id], d.desired.refused[id], true
		out.Supplied = d.desired.supply[id]
		variants = append(variants, out)
	}
	d.rec.Variants = variants
	if l.ID != "" {
		d.correct(variants)
		d.rec.Drift = d.corrected(d.rec.Drift, variants)
	} else {
		d.rec.Drift = d.unsold(d.rec.Drift)
	}
	d.rec.Unasked = d.rec.Unasked && heldByRules(d.rec.Holds)
	d.rec.Ruling = settledRuling(d.rec)
}

// wrote adds a write to the history, and where the description was cut says so. Pictures that were
// asked for again and are still missing are no change.
func (d *Decision) wrote(created bool, missing []store.Picture, now time.Time) Result {
	same := func(a, b store.Picture) bool { return a.URL == b.URL }
	back := d.start.Unsellable != "" // and nothing of it need have changed
	if !back && d.Changed == d.again && slices.EqualFunc(missing, d.start.Missing, same) {
		return Unchanged
	}
	cut := ""
	if d.desired.cut != "" && (created || d.Changed.Has(shopadapter.FieldDescription)) {
		cut = d.desired.cut
	}
	if created {
		d.recordCreated(cut, now)
		return Created
	}
	if back {
		d.addHistory("on sale again", now)
	}
	d.recordWritten(cut, now)
	return Updated
}

// addMissing adds to the history why pictures are missing that were not missing before.
func (d *Decision) addMissing(missing []store.Picture, now time.Time) {
	for _, p := range missing {
		if !slices.ContainsFunc(
			d.start.Missing, func(q store.Picture) bool { return q.URL == p.URL && q.Later == p.Later },
		) {
			d.addHistory("without a picture: "+p.Reason, now)
			return // one line is enough: the record names each picture
		}
	}
}
