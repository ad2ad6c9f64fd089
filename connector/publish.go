package connector

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// shopTimeout bounds one call of the adapter: a product with a hundred variants and images on slow hosting takes minutes.
const shopTimeout = 10 * time.Minute

func (w *look) ref() shopadapter.Ref {
	return shopadapter.Ref{
		Publication: shopadapter.PublicationID(w.rec.ID), Listing: shopadapter.ListingID(w.rec.ShopID), State: slices.Clone(w.rec.ShopState),
		Reset: shopadapter.Fields(w.rec.Reset),
	}
}

// publish writes the product to the shop and settles what came of it.
func (w *look) publish(ctx context.Context, d desired, changed shopadapter.Fields) {
	if w.start.Problem.Gone && w.mark.Cause&store.CauseAsked != 0 {
		w.forgetListing()
		changed = shopadapter.AllFields
	}
	listing, err := w.attempt(ctx, &d, changed)
	gone := errors.Is(err, shopadapter.ErrGone)
	if gone && w.c.onDeleted == DeletedRecreate {
		w.forgetListing()
		changed = shopadapter.AllFields
		listing, err = w.attempt(ctx, &d, changed)
		gone = errors.Is(err, shopadapter.ErrGone)
	}
	if err != nil && ctx.Err() != nil || w.paused(err) {
		return // stopped, not failed: the mark stays
	}
	if gone {
		err = shopadapter.Block("the listing was deleted in the shop by hand: `pubsync retry %s` brings it back", w.rec.ID)
	}
	w.adopt(listing)
	if err == nil && len(listing.Refused) > 0 && allRefused(d, listing) {
		w.rec.OnSale = false
		err = shopadapter.Reject("the shop refused every variant: %s", firstReason(listing.Refused))
	}
	print := fingerprintOf(d.product)
	if err != nil {
		w.fail(ctx, event{kind: eventFailed, err: shopadapter.Explain(err), gone: gone, content: print.content()})
		return
	}
	created := w.rec.WrittenAt == 0 && w.start.ShopID == "" || w.remade
	w.remember(d, print, listing)
	w.rec.Kept = uint16(shopadapter.Fields(w.rec.Kept)&^changed | listing.Kept)
	w.wrote(created, changed)
	w.settle(event{kind: eventPublished})
}

// fail settles a look that came to nothing. Before a product is called rejected, what an earlier attempt may have put on sale is taken out: nobody saw
// how that ended, and the marketplace is about to be told that nothing is on sale.
func (w *look) fail(ctx context.Context, e event) {
	if e.err.Kind == shopadapter.Rejected && w.start.Open && !w.rec.OnSale {
		if err := w.unpublish(ctx, shopadapter.TakeOffline); err != nil {
			if ctx.Err() != nil || w.paused(err) {
				return
			}
			e = event{kind: eventFailed, err: shopadapter.Retry("what an earlier attempt may have put on sale is still there: %w", err)}
		}
	}
	w.settle(e)
}

func allRefused(d desired, l shopadapter.Listing) bool {
	for _, v := range d.product.Variants {
		if _, refused := l.Refused[v.ID]; !refused {
			return false
		}
	}
	return true
}

// attempt notes durably what is about to be written, and writes it. The SKUs are claimed in the same transaction; should another publication
// have been faster since they were looked up, this one gets its suffix now.
func (w *look) attempt(ctx context.Context, d *desired, changed shopadapter.Fields) (shopadapter.Listing, error) {
	skus, err := w.c.store.Begin(store.Attempt{
		ID: w.rec.ID, Fields: uint16(changed), Order: d.order, SKUs: d.skus,
		Apply: func(r *store.Record) {
			if r.State == "" {
				r.State = string(StatePending)
			}
			r.ListedAt = w.rec.ListedAt
		},
	})
	if err != nil {
		w.c.storeFailed(err)
		return shopadapter.Listing{}, shopadapter.Retry("store cannot be written: %w", err)
	}
	d.assign(skus)
	w.rec.Attempted |= uint16(changed)
	w.rec.Open = true
	var listing shopadapter.Listing
	err = w.c.callShop(ctx, w.rec.ID, func(ctx context.Context) error {
		var err error
		listing, err = w.c.shop.Publish(ctx, w.ref(), d.product, changed)
		return err
	})
	refused := make(map[string]string, len(listing.Refused))
	for id, why := range listing.Refused {
		refused[id] = w.c.short(why)
	}
	listing.Refused = refused
	return listing, err
}

// forgetListing drops what is known of a listing that is no more.
func (w *look) forgetListing() {
	w.remade = true
	w.rec.ShopID, w.rec.ShopState, w.rec.URL, w.rec.WrittenAt = "", nil, "", 0
	w.rec.Variants, w.rec.Hashes, w.rec.Kept = nil, nil, 0
	w.rec.OnSale = false
}

// adopt keeps what the adapter learned, also beside an error. An address that is no web address is never reported.
func (w *look) adopt(l shopadapter.Listing) {
	if l.ID == "" {
		return
	}
	w.rec.ShopID = string(l.ID)
	w.rec.ShopState = l.State
	w.rec.URL = ""
	if u, err := url.Parse(l.URL); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		w.rec.URL = l.URL
	}
}

// remember notes what the shop holds now: the hashes of the groups, and each variant's figures.
func (w *look) remember(d desired, print fingerprint, l shopadapter.Listing) {
	w.rec.Title = d.product.Title
	w.rec.Hashes, w.rec.HashRule = print[:], hashRule
	w.rec.Approved = nil
	shopIDs := make(map[string]store.Variant, len(w.start.Variants))
	for _, v := range w.start.Variants {
		shopIDs[v.ID] = v
	}
	variants := make([]store.Variant, 0, len(d.product.Variants)+len(d.refused))
	for _, v := range d.product.Variants {
		out := store.Variant{
			ID: v.ID, ShopID: l.Variants[v.ID], SKU: v.SKU, Title: v.Title, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP,
			Quantity: v.Quantity, Backorders: v.Backorders, Refused: l.Refused[v.ID],
		}
		if l.ID == "" { // nothing was written: the shop still refuses what it refused
			out.ShopID, out.Refused = shopIDs[v.ID].ShopID, shopIDs[v.ID].Refused
		}
		variants = append(variants, out)
	}
	before := writtenVariants(w.start)
	for _, id := range slices.Sorted(maps.Keys(d.refused)) {
		out := before[id]
		out.ID, out.Title, out.Refused, out.Unpriced = id, d.titles[id], d.refused[id], true
		variants = append(variants, out)
	}
	w.rec.Variants = variants
}

// wrote counts and notes a write.
func (w *look) wrote(created bool, changed shopadapter.Fields) {
	if created {
		w.c.tally.created.Add(1)
		w.record("created")
		return
	}
	w.c.tally.updated.Add(1)
	w.record("updated " + changed.String())
}

func (w *look) unpublish(ctx context.Context, how shopadapter.Removal) error {
	return w.c.callShop(ctx, w.rec.ID, func(ctx context.Context) error { return w.c.shop.Unpublish(ctx, w.ref(), how) })
}

// A pausedError says that a call was not made, since the shop asked for a pause.
type pausedError struct{ until time.Time }

func (e *pausedError) Error() string {
	return "the shop asked for a pause until " + e.until.Format(time.RFC3339)
}

// paused puts a look off to the end of a pause. It reports false for any other error.
func (w *look) paused(err error) bool {
	var p *pausedError
	if !errors.As(err, &p) {
		return false
	}
	if err := w.c.store.Defer(w.mark.ID, w.mark.Gen, p.until, store.CauseRetry); err != nil {
		w.c.storeFailed(err)
	}
	w.c.retrying.add(w.mark.ID, time.Now())
	return true
}

// callShop makes one call of the adapter in one of the places that PUBSYNC_SHOP_CONCURRENCY allows, and tells the gate how it ended.
func (c *Connector) callShop(ctx context.Context, id string, call func(context.Context) error) error {
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if t := c.shopGate.look(time.Now()); t.Shut && t.Firm {
		return &pausedError{t.Until} // it said when to come back, to another call, while this one was made ready
	}
	limited, cancel := context.WithTimeout(ctx, shopTimeout)
	defer cancel()
	start := time.Now()
	err := c.guarded(func() error { return call(limited) }, "publication", id)
	c.metrics.shopCall(time.Since(start), err)
	if ctx.Err() == nil || err == nil {
		c.judgeShop(id, err)
	}
	return err
}

// judgeShop tells the shop's gate how a call ended: whether the shop as a whole is in trouble, or one product.
func (c *Connector) judgeShop(id string, err error) {
	now := time.Now()
	e := shopadapter.Explain(err)
	var news bool
	switch {
	case err == nil, errors.Is(err, shopadapter.ErrGone), e.Kind == shopadapter.Rejected, e.Kind == shopadapter.Blocked && !e.ShopWide:
		if c.shopGate.succeeded(now) {
			c.log.Info("shop is back")
		}
		return
	case e.Kind == shopadapter.Blocked:
		news = c.shopGate.refuse(e.Error(), now, 0, true)
	case e.ShopWide:
		news = c.shopGate.refuse(e.Error(), now, e.RetryAfter, false)
	default:
		news = c.shopGate.failed(id, e.Error(), now)
	}
	c.lastError.set(err)
	if t := c.shopGate.look(now); t.Firm {
		c.keepPause(pauseOfShop, t)
	}
	if news {
		c.log.Error("shop cannot be used, pausing until it can", "error", e.Error())
	}
}
