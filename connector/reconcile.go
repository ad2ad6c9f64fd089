package connector

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// reconcile brings the shop in line with one publication: read what the marketplace wants, compare it with what was last written, write the
// difference, settle. It may be repeated at any point without harm.
func (c *Connector) reconcile(ctx context.Context, m store.Mark, adm *marketplace.Admission) {
	rec, _, err := c.store.Get(m.ID)
	if err != nil {
		c.storeFailed(err)
		return
	}
	if !needsReading(m, rec) {
		c.skip(m, rec)
		return
	}
	var cost marketplace.Meter
	asked := time.Now()
	pub, err := c.market.Publication(marketplace.Metered(ctx, &cost), adm, m.ID, len(rec.Variants))
	if err != nil {
		c.notRead(m, err)
		return
	}
	c.marketSucceeded()
	if m.Class == store.ClassHint {
		c.hints.spend(cost.Points(), c.market.Budget().RestoreRate, time.Now())
	}
	w := &look{c: c, mark: m, start: rec, rec: rec, pub: pub, asked: asked}
	w.rec.ReadAt = store.At(asked)
	w.run(ctx)
}

// notRead puts the look off: the marketplace's trouble is not the publication's, unless it is this one alone that it cannot show.
func (c *Connector) notRead(m store.Mark, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	c.marketFailed(m.ID, err)
	n := c.misread.count(m.ID)
	if n > 1 && !c.marketGate.look(time.Now()).Shut { // it is this one alone that the marketplace cannot show
		c.fail(m, shopadapter.Retry("its content cannot be read: %w", err))
		return
	}
	at := time.Now().Add(backoff(n, c.backoffMost()))
	if err := c.store.Defer(m.ID, m.Gen, at, store.CauseRetry); err != nil {
		c.storeFailed(err)
	}
	c.retrying.add(m.ID, time.Now())
}

// A look is one reading of a publication and what follows from it.
type look struct {
	c       *Connector
	mark    store.Mark
	start   store.Record             // as it was when the work began
	rec     store.Record             // as it becomes
	pub     *marketplace.Publication // nil: gone
	asked   time.Time
	remade  bool // its listing was deleted in the shop
	strange bool // another tool made it: what the marketplace holds is not about us
	anew    bool // listed again after its removal: to be reported whatever the marketplace holds
}

func (w *look) run(ctx context.Context) {
	w.c.misread.forget(w.mark.ID)
	if reason := mustGo(w.pub); reason != "" {
		w.leave(ctx, reason)
		return
	}
	w.take()
	if w.foreign() {
		w.strange = true
		w.settle(event{kind: eventStands})
		return
	}
	d := w.c.mapper.desire(w.pub, w.rec)
	w.rec.Title = d.product.Title
	w.rec.Holds = w.keepSince(d.holds)
	if d.problem != nil {
		w.fail(ctx, event{kind: eventFailed, err: d.problem, content: fingerprintOf(d.product).content()})
		return
	}
	if w.rec.WrittenAt == 0 && len(w.start.Problem.Content) == 0 { // there is nothing to compare it with
		w.publish(ctx, d, shopadapter.AllFields)
		return
	}
	skus, err := w.c.store.PreviewSKUs(w.mark.ID, d.order, d.skus)
	if err != nil {
		w.c.storeFailed(err)
		return
	}
	d.assign(skus)
	print := fingerprintOf(d.product)
	changed := w.changed(d, print)
	if w.mark.Cause&store.CauseAsked != 0 && hasRefused(w.rec) { // what was refused is asked about again
		changed |= shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock
	}
	switch {
	case w.stands(print):
		w.settle(event{kind: eventStands})
	case changed == shopadapter.NoFields && w.rec.OnSale:
		w.remember(d, print, shopadapter.Listing{})
		w.settle(event{kind: eventUnchanged})
	default:
		w.publish(ctx, d, changed)
	}
}

// take notes what the marketplace says of the entry itself.
func (w *look) take() {
	if removal := w.rec.Removal; removal.Done || removal.Begun {
		w.anew = removal.Reason == removalAbsent
		if removal.Begun && w.anew && w.c.onRemoved == RemovedDelete {
			w.forgetListing()
		}
		w.rec.OnSale = false
		w.rec.Attempted = uint16(shopadapter.AllFields)
		if w.anew {
			w.rec.ListedAt = store.At(w.asked)
			w.rec.Reported, w.rec.ReportedURL, w.rec.Refused, w.rec.ReportError = "", "", "", ""
		}
	}
	w.rec.Removal = store.Removal{}
	w.rec.UpdatedAt = w.pub.UpdatedAt
	w.rec.Listing, w.rec.Product = w.pub.Listing.ID, w.pub.Listing.ProductID
	if w.rec.ListedAt == 0 {
		w.rec.ListedAt = store.At(w.asked)
	}
}

const foreignReason = "the marketplace says that it is on sale already, and the shop does not hold it as ours: another tool made it"

// foreign holds an entry that the marketplace calls a success and that neither we nor the shop know: another tool made it.
func (w *look) foreign() bool {
	r := &w.rec
	if !isForeign(w.pub, *r, w.c.lists) {
		return false
	}
	r.Title = w.c.mapper.desire(w.pub, *r).product.Title
	r.Holds = w.keepSince([]store.Hold{{Kind: holdForeign, Reason: foreignReason}})
	r.Problem = store.Problem{}
	return true
}

// isForeign reports whether another tool made what the entry stands for. Only with an adapter that lists what it made can that be told.
func isForeign(pub *marketplace.Publication, r store.Record, lists bool) bool {
	ours := r.ShopID != "" || r.WrittenAt != 0 || r.Attempted != 0 || r.ReportedAt != 0
	return lists && !ours && pub.Status == statusSuccess && !approved(r.Approved, store.Hold{Kind: holdForeign})
}

func (w *look) keepSince(holds []store.Hold) []store.Hold {
	for i, h := range holds {
		holds[i].Since = store.At(w.asked)
		if before, ok := sameHold(w.start.Holds, h); ok {
			holds[i].Since = before.Since
		}
	}
	return holds
}

// changed is the groups to write: those that differ from, or were attempted since, the last settled write, and those given back by the merchant.
func (w *look) changed(d desired, print fingerprint) shopadapter.Fields {
	if w.rec.WrittenAt == 0 {
		return shopadapter.AllFields
	}
	changed := print.differing(d.product, w.rec) | shopadapter.Fields(w.rec.Attempted)
	return changed&^w.c.rules.Keep | shopadapter.Fields(w.rec.Reset)
}

// stands reports whether the content that met a refusal is unchanged, and nobody asks for another try: it would meet the refusal again. After an attempt
// with other content whose end nobody saw that is not enough: something may be on sale.
func (w *look) stands(print fingerprint) bool {
	p := w.start.Problem
	if p.Kind == problemRejected && w.start.Open || w.mark.Cause&store.CauseAsked != 0 || p.Kind == problemBlocked && w.mark.Cause&store.CauseRetry != 0 {
		return false
	}
	return stands(p, print)
}

// stands reports whether the content is what met the problem.
func stands(p store.Problem, print fingerprint) bool {
	return (p.Kind == problemRejected || p.Kind == problemBlocked) && len(p.Content) > 0 && bytes.Equal(p.Content, print.content())
}

// leave deals with an entry that cannot be in the shop: nothing to show, or gone.
func (w *look) leave(ctx context.Context, reason string) {
	if w.pub != nil {
		w.rec.UpdatedAt = w.pub.UpdatedAt
	}
	made := w.rec.ShopID != "" || w.rec.Attempted != 0 || w.rec.OnSale
	switch {
	case w.rec.Removal.Done && (reason == removalAbsent || !gone(w.rec)):
		w.rec.Removal.Reason = reason
		w.settle(event{kind: eventStands})
	case !made && reason == removalAbsent:
		w.c.settle(w.mark, w.start, store.Settlement{Record: w.rec, Forget: true})
	case !made:
		w.rec.Removal = store.Removal{}
		w.settle(event{kind: eventWaiting, err: shopadapter.Retry("%s", waitingReason(reason))})
	case w.rec.Removal.Go || !w.rec.OnSale:
		w.rec.Removal.Reason = reason
		w.withdraw(ctx)
	default:
		if w.rec.Removal.Reason == "" {
			w.rec.Removal = store.Removal{Reason: reason, At: store.At(w.asked)}
			w.rec.Holds = nil
		}
		w.settle(event{kind: eventRemovable})
		w.c.removals.found()
	}
}

func waitingReason(reason string) string {
	if reason == removalNoListing {
		return "the marketplace shows no listing for it yet"
	}
	return "its listing has no variant yet"
}

// withdraw carries a removal out.
func (w *look) withdraw(ctx context.Context) {
	how := shopadapter.TakeOffline
	absent := w.rec.Removal.Reason == removalAbsent
	if absent && w.c.onRemoved == RemovedDelete {
		how = shopadapter.Delete
	}
	if !absent || w.c.onRemoved != RemovedKeep {
		if !w.beginRemoval() {
			return
		}
		err := w.unpublish(ctx, how)
		if err != nil {
			if ctx.Err() == nil && !w.paused(err) {
				w.settle(event{kind: eventFailed, err: shopadapter.Explain(err)})
			}
			return
		}
	}
	if w.rec.OnSale {
		w.c.tally.withdrawn.Add(1)
	}
	if how == shopadapter.Delete {
		w.rec.ShopID, w.rec.ShopState, w.rec.URL, w.rec.WrittenAt = "", nil, "", 0
	}
	w.settle(event{kind: eventWithdrawn})
}

// beginRemoval notes durably that the shop is about to be asked to take the product out: should it be listed again before the answer is known, all of
// it is written anew.
func (w *look) beginRemoval() bool {
	_, err := w.c.store.Begin(store.Attempt{
		ID: w.rec.ID, Fields: uint16(shopadapter.AllFields), Apply: func(r *store.Record) { r.Removal.Begun = true },
	})
	if err != nil {
		w.c.storeFailed(err)
		return false
	}
	w.rec.Attempted, w.rec.Open, w.rec.Removal.Begun = uint16(shopadapter.AllFields), true, true
	return true
}
