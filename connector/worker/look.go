package worker

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// reconcile brings the shop in line with one publication: read what the marketplace wants, decide,
// carry the decision out, settle the look. It may be repeated at any point without harm.
func (w *Worker) reconcile(ctx context.Context, m store.Mark, adm *marketplace.Admission) {
	// after process has asked for a report under way: one that ended since has left its echo here
	e, err := w.store.Get(ctx, m.ID)
	if err != nil {
		w.health.StoreFailed(err)
		return
	}
	rec := e.Record
	if publication.Needless(m, rec) {
		w.skip(ctx, m, rec)
		return
	}
	var cost marketplace.Meter
	asked := time.Now()
	pub, err := w.market.Publication(marketplace.Metered(ctx, &cost), adm, m.ID, len(rec.Variants))
	w.rests.spent(cost.Points(), m.Class == store.ClassFull && m.Cause&store.CauseRest != 0, time.Now())
	if m.Class == store.ClassHint { // what was spent in vain is spent too
		w.hints.Spend(cost.Points(), w.market.Budget().RestoreRate, time.Now())
	}
	if err != nil {
		w.notRead(ctx, m, err)
		return
	}
	w.marketBreaker.Succeed(time.Now())
	w.misread.forget(m.ID)
	w.missed(m, pub)
	again := w.awaited.judge(m.ID, pub, time.Now())
	if pub == nil && !again.IsZero() { // a webhook has just named it: that it is gone is not believed yet
		w.later(ctx, store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(again), Cause: store.CauseSigned})
		return
	}
	w.directory.Place(ctx, pub)
	d, next := w.carryOut(ctx, m, w.decider.Decide(rec, m, publication.Seen{Publication: pub, At: asked}), asked)
	if next == toSettle {
		w.settle(ctx, m, d, time.Now())
	}
	w.lookAgain(ctx, m.ID, again)
}

// lookAgain has a publication looked at again at a time, since the marketplace has not shown yet
// what a webhook said; never where it is zero.
func (w *Worker) lookAgain(ctx context.Context, id string, at time.Time) {
	if at.IsZero() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if err := w.store.Mark(ctx, store.Mark{ID: id, Class: store.ClassHook, Cause: store.CauseSigned, At: store.At(at)}); err != nil {
		w.health.StoreFailed(err)
	}
}

// notRead puts the look off: the marketplace's trouble is not the publication's, unless it is this
// one alone that it cannot show.
func (w *Worker) notRead(ctx context.Context, m store.Mark, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	failed := publication.FailedRead{Err: err, Suspect: marketplace.InDoubt(err), InARow: w.misread.count(m.ID)}
	if pause, ok := failed.Recheck(); ok {
		w.later(ctx, store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(time.Now().Add(pause)), Cause: store.CauseRetry})
		w.retrying.add(m.ID, time.Now())
		return
	}
	w.marketFailed(ctx, m.ID, err)
	if own := failed.Own(w.marketBreaker.Status(time.Now()).Open); own != nil {
		w.fail(ctx, m, own)
		return
	}
	at := time.Now().Add(breaker.Backoff(failed.InARow, w.waiters.MaxBackoff()))
	w.later(ctx, store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(at), Cause: store.CauseRetry})
	w.retrying.add(m.ID, time.Now())
}

// later puts a look off.
func (w *Worker) later(ctx context.Context, d store.Deferral) {
	if err := w.store.Defer(context.WithoutCancel(ctx), d); err != nil {
		w.health.StoreFailed(err)
	}
}

// fail settles a mark whose work came to nothing before it had a result of its own.
func (w *Worker) fail(ctx context.Context, m store.Mark, failure *shopadapter.Error) {
	e, err := w.store.Get(context.WithoutCancel(ctx), m.ID)
	if err != nil {
		w.health.StoreFailed(err)
		return
	}
	now := time.Now()
	w.settle(ctx, m, w.decider.Decide(e.Record, m, publication.Seen{Err: failure, At: now}), now)
}

// What is left of a look once its decision has been carried out.
type left int

const (
	nothing  left = iota // it was put off, or ended with the process
	toSettle             // its end is to be made durable
	toReread             // the publication is to be read in full instead
)

// carryOut does what a decision says, and what follows from it, until the look is to be settled or
// put off.
func (w *Worker) carryOut(
	ctx context.Context,
	m store.Mark,
	d publication.Decision,
	asked time.Time,
) (publication.Decision, left) {
	for d.Step != publication.Settle {
		if d.Step == publication.Reread {
			w.undo(ctx, m.ID, d)
			return d, toReread
		}
		if d.Step == publication.Compare {
			facts, err := w.facts(ctx, m.ID, d)
			if err != nil {
				w.health.StoreFailed(err)
				return d, nothing
			}
			d = d.Compared(facts)
			continue
		}
		attempted, outcome, err := w.attempt(ctx, m.ID, d)
		var paused *call.PausedError
		switch {
		case err != nil && d.Step == publication.Unpublish: // nothing was sent, and the mark stays
			return d, nothing
		case outcome.Err != nil && ctx.Err() != nil:
			if d.Step != publication.Unpublish {
				w.stopped(ctx, m, d, asked)
			}
			return d, nothing
		case errors.As(outcome.Err, &paused):
			w.putOff(ctx, m, paused.Until)
			return d, nothing
		}
		if w.observer != nil && outcome.Err == nil {
			w.observer.Sent(attempted)
		}
		d = attempted.Concluded(outcome, time.Now())
	}
	return d, toSettle
}

// reviewTimeout bounds one review: as a rule it takes no request.
const reviewTimeout = time.Minute

// facts finds out what a comparison needs.
func (w *Worker) facts(ctx context.Context, id string, d publication.Decision) (f publication.Facts, err error) {
	order, wishes := d.Wishes()
	if f.SKUs, err = w.store.PreviewSKUs(ctx, id, order, wishes); err != nil {
		return f, err
	}
	r, ok := w.shop().(shopadapter.Reviewer)
	if !ok || !d.Reviewable() {
		return f, nil
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	f.ReviewErr = w.health.Guard(func() (err error) {
		f.Outdated, err = r.Review(ctx, d.Ref())
		return err
	}, "publication", id)
	return f, nil
}

// attempt notes durably what is about to be sent to the shop, and sends it. err says that it could
// not be noted, and nothing was sent.
func (w *Worker) attempt(
	ctx context.Context,
	id string,
	d publication.Decision,
) (publication.Decision, publication.Outcome, error) {
	if a, ok := d.Attempt(); ok {
		skus, err := w.store.Begin(ctx, a)
		if err != nil {
			w.health.StoreFailed(err)
			return d, publication.Outcome{Err: shopadapter.Retry("store cannot be written: %w", err)}, err
		}
		d = d.Attempted(skus)
	}
	switch d.Step {
	case publication.Unpublish:
		return d, w.unpublish(ctx, id, d), nil
	case publication.Restock:
		return d, w.restock(ctx, id, d), nil
	default:
		return d, w.publish(ctx, id, d), nil
	}
}

// publish writes the product to the shop.
func (w *Worker) publish(ctx context.Context, id string, d publication.Decision) publication.Outcome {
	return w.send(ctx, id, func(ctx context.Context) (shopadapter.Listing, error) {
		return w.shop().Publish(ctx, d.Ref(), d.Product, d.Changed)
	})
}

// send makes a call that writes to the shop. What cannot be kept of the answer is refused, and its
// texts are cut to what is kept.
func (w *Worker) send(
	ctx context.Context,
	id string,
	write func(context.Context) (shopadapter.Listing, error),
) (o publication.Outcome) {
	o.Err = w.calls.Do(ctx, id, func(ctx context.Context) (err error) {
		if w.beforeWrite != nil {
			if err := w.beforeWrite(ctx); err != nil {
				return err
			}
		}
		o.Listing, err = write(ctx)
		if unfit := publication.Unkeepable(o.Listing, func(s string) bool { return w.health.Redact(s) != s }); unfit != nil {
			o.Listing, err = shopadapter.Listing{}, unfit
		}
		return err
	})
	refused := make(map[string]string, len(o.Listing.Refused))
	for variant, why := range o.Listing.Refused {
		refused[variant] = w.health.Line(why)
	}
	missing := make([]shopadapter.Picture, len(o.Listing.Missing))
	for i, p := range o.Listing.Missing {
		missing[i] = shopadapter.Picture{URL: w.health.Line(p.URL), Reason: w.health.Line(p.Reason), Later: p.Later}
	}
	o.Listing.Refused, o.Listing.Missing = refused, missing
	return o
}

// unpublish takes the listing out. What the shop did in place of what was asked for is logged.
func (w *Worker) unpublish(ctx context.Context, id string, d publication.Decision) (o publication.Outcome) {
	withdrawer, tells := w.shop().(shopadapter.Withdrawer)
	o.Err = w.calls.Do(ctx, id, func(ctx context.Context) (err error) {
		if !tells {
			return w.shop().Unpublish(ctx, d.Ref(), d.Removal)
		}
		o.Note, err = withdrawer.Withdraw(ctx, d.Ref(), d.Removal)
		return err
	})
	if o.Note = w.health.Line(o.Note); o.Err == nil && o.Note != "" {
		w.log.Info("listing left the shop in another way than was asked for", "publication", id, "note", o.Note)
	}
	return o
}

// stopped leaves the mark of a look that was cancelled, which is no failure, behind what is due
// now: one that hangs does not stand before all others in the next run too.
func (w *Worker) stopped(ctx context.Context, m store.Mark, d publication.Decision, asked time.Time) {
	now, ctx := time.Now(), context.WithoutCancel(ctx)
	err := w.store.Defer(ctx, store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(now)})
	// else its history tells of it already
	if took := now.Sub(asked); err == nil && took > call.Least && d.Before().Problem.Kind == "" {
		_, err = store.Update(ctx, w.store, func(_ *store.Report, s *store.Settlement) bool {
			publication.Stopped(s, took, now)
			return true
		}, m.ID)
	}
	if err != nil {
		w.health.StoreFailed(err)
	}
}

// putOff leaves the mark of a look for the end of a pause.
func (w *Worker) putOff(ctx context.Context, m store.Mark, until time.Time) {
	w.later(ctx, store.Deferral{ID: m.ID, Gen: m.Gen, At: store.At(until), Cause: store.CauseRetry})
	w.retrying.add(m.ID, time.Now())
}

// settle makes the end of a look durable, counts and tells it.
func (w *Worker) settle(ctx context.Context, m store.Mark, d publication.Decision, now time.Time) {
	w.counter.did(m.ID, d)
	if w.observer != nil {
		w.observer.Settled(d)
	}
	if d.Failure != nil {
		w.failed(m.ID, d.Failure)
	}
	if d.Lacks != "" {
		if d.Before().Problem.Kind != store.ProblemWaiting {
			w.log.Warn("publication waits for the marketplace", "publication", m.ID, "reason", d.Lacks)
		}
		w.health.Note(errors.New(d.Lacks))
	}
	w.write(ctx, m, d.Before(), d.Settlement(now), now)
	if d.FoundRemoval() {
		w.removals.FoundRemoval()
	}
}

// skip settles a mark that turned out to say nothing new.
func (w *Worker) skip(ctx context.Context, m store.Mark, r store.Record) {
	now := time.Now()
	w.write(ctx, m, r, w.decider.Skip(r, m, now), now)
}

// write makes a settlement durable.
func (w *Worker) write(ctx context.Context, m store.Mark, before store.Record, s store.Settlement, now time.Time) {
	ctx = context.WithoutCancel(ctx) // what was done in the shop is kept, though the worker is stopping
	after, err := w.store.Settle(ctx, s)
	if err != nil {
		w.health.StoreFailed(err)
		return
	}
	if s.Record.Problem.Kind == store.ProblemTransient && !s.Forget {
		w.retrying.add(m.ID, now)
	} else {
		w.retrying.forget(m.ID)
		w.late.note(s.Next, now)
		w.health.Progressed(now)
	}
	if !s.Forget && before.State != after.State {
		w.log.Info(
			"publication changed state",
			"publication",
			m.ID,
			"state",
			after.State,
			"before",
			before.State,
			"reason",
			publication.ReasonOf(after),
		)
	}
	w.reports.Notify()
	// the check has passed since: it met no record of this
	if p := after.Problem; p.Kind == store.ProblemBlocked && p.Wide && !w.shopBreaker.Status(now).Refused {
		if err := w.store.Mark(ctx, store.Mark{ID: m.ID, Class: store.ClassSweep, Cause: store.CauseRetry, At: store.At(now)}); err != nil {
			w.health.StoreFailed(err)
		}
		w.due.Raise()
	}
}

// failed logs one failed look. That the shop as a whole is in trouble has been said once, by its
// breaker.
func (w *Worker) failed(id string, e *shopadapter.Error) {
	w.metrics.Failed(e.Kind)
	if !e.ShopWide {
		w.log.Warn("publication not settled", "publication", id, "kind", e.Kind.String(), "error", e.Error())
	}
}

// marketFailed is one failed call to the marketplace. Nothing is held against a publication for it.
func (w *Worker) marketFailed(ctx context.Context, id string, err error) {
	if w.marketBreaker.Judge(ctx, id, breaker.OfMarketplace(err)) {
		w.health.Note(err)
	}
}
