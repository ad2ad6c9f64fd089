package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	// reportsAtOnce are made before the store acknowledges them, reportsTogether in parallel.
	reportsAtOnce, reportsTogether = 20, 4
	// lastPass bounds the last pass over the outbox. Reports that it does not reach stay owed.
	lastPass = 5 * time.Second
)

// report makes the reports that are owed until ctx ends, and then all that are due.
//
// A report moves the publication's updatedAt, which may hide a supplier's change. So a light look precedes each
// attempt. If it shows the updatedAt of the last reading, that of the reply is adopted; else the content is read
// again. It also shows whether an unanswered attempt was applied.
//
// A report that is refused, or brings no answer, stays owed. It is made again after a delay that grows, and at once
// when somebody asks. A second objection to it, or to the look before it, counts as a refusal.
func (x *Engine) report(ctx, asking context.Context) {
	for asking.Err() == nil {
		due, market := x.due.Raised(), x.MarketSide.Changed()
		now := time.Now()
		wait := quiet
		if s := x.MarketSide.Status(now); s.Shut {
			wait = s.Wait(now)
		} else if !x.ready(ctx) {
			wait = time.Second
		} else if did, next := x.reportSome(asking, now); did {
			continue
		} else if !next.IsZero() {
			wait = max(next.Sub(now), time.Millisecond)
		}
		if ctx.Err() != nil {
			return
		}
		Sleep(ctx, wait, due, market)
	}
}

// reportSome makes refused reports only if no other is due. next is when the first will be due.
func (x *Engine) reportSome(ctx context.Context, now time.Time) (did bool, next time.Time) {
	all, err := x.Store.Reports(ctx)
	if err != nil {
		x.Health.Stored(err)
		return false, now.Add(time.Second)
	}
	var owed, refused []store.Report
	x.locked(func() {
		for _, o := range all {
			at := publication.RemadeAt(o, backoffOf(o.ID, o.Tries, x.MaxBackoff()), x.woken, now)
			begun, calls := x.begun[o.ID] // a slow shop is not waited for
			if c := x.claims[o.ID]; c != nil && c.looks && !(calls && time.Since(begun) > leastCall) {
				at = latest(at, now.Add(leastCall)) // a look may change what is owed
			}
			switch {
			case at.After(now):
				if next.IsZero() || at.Before(next) {
					next = at
				}
			case o.Refused != "":
				refused = append(refused, o)
			case len(owed) < reportsAtOnce:
				owed = append(owed, o)
			}
		}
		if len(owed) == 0 {
			owed = refused[:min(len(refused), reportsAtOnce)]
		}
		for _, o := range owed {
			x.reporting[o.ID] = true // bars looks
		}
	})
	if len(owed) > 0 {
		x.reportBatch(ctx, owed)
	}
	return len(owed) > 0, next
}

// An answer is the reply to a report, or what the look before it says in its place.
type answer struct {
	sent      store.Report
	known     bool               // else the report is made again
	look      *marketplace.Entry // before the report; nil: it shows an applied attempt, and is the reply
	updatedAt string             // of the reply
	vanished  bool
	refused   error // nil: acknowledged
}

func (a answer) take(e *store.Entry, now time.Time) bool {
	switch {
	case a.refused != nil:
		return publication.Unreported(e, a.sent, a.refused.Error(), now)
	case !a.known:
		return publication.Unreported(e, a.sent, "", now)
	case !e.Known:
		e.Owed = nil
	case a.vanished:
		publication.Vanished(e, a.sent, now)
	default:
		publication.Acknowledged(e, a.sent, a.updatedAt, a.look, now)
	}
	return true
}

// reportBatch makes no report after a request that failed as a whole.
func (x *Engine) reportBatch(ctx context.Context, owed []store.Report) {
	defer func() {
		x.locked(func() { clear(x.reporting) })
		x.due.Raise()
	}()
	all, failed := errgroup.WithContext(ctx)
	all.SetLimit(reportsTogether)
	answers := map[string]*answer{}
	for _, o := range owed {
		a := &answer{sent: o}
		answers[o.ID] = a
		all.Go(func() error {
			if err := failed.Err(); err != nil {
				return err
			}
			return x.ask(ctx, a)
		})
	}
	if err := all.Wait(); err != nil && ctx.Err() == nil {
		x.MarketSide.Told("", err)
	}
	x.keepAnswers(ctx, answers)
}

// ask makes one report, unless an earlier attempt was applied. The error is of a request that failed as a
// whole.
func (x *Engine) ask(ctx context.Context, a *answer) (err error) {
	o := a.sent
	defer x.Health.recovers(&err, "report", "publication", o.ID)
	again, lost := o.Tries > 0, false
	x.locked(func() { lost = again || o.Since.Time().Before(x.woken) })
	report := marketplace.Report{ID: o.ID, Status: string(o.Status), URL: o.URL}
	look, made, err := x.Reports.Report(ctx, marketplace.Urgent, report, lost)
	objection := err
	switch {
	case err != nil:
	case look == nil:
		a.vanished = true
	case made != nil:
		a.look, a.updatedAt, objection = look, made.UpdatedAt, made.Err
	default:
		a.updatedAt, objection = look.UpdatedAt, look.Err
	}
	refused := made != nil && marketplace.KindOf(objection) == marketplace.Refused
	if a.known = objection == nil || refused || again && marketplace.IsObjection(objection); a.known {
		a.refused = objection
	}
	if objection != nil && !refused && (a.known || err == nil) {
		x.Health.Failed(objection.Error())
	}
	return err
}

// keepAnswers makes answers durable. If some are denied and none is accepted, the token may report nothing.
func (x *Engine) keepAnswers(ctx context.Context, answers map[string]*answer) {
	now, known, accepted := time.Now(), false, false
	for _, a := range answers {
		known, accepted = known || a.known, accepted || a.known && a.refused == nil
	}
	for _, a := range answers {
		if marketplace.IsDenied(a.refused) && !accepted {
			a.refused = fmt.Errorf("%s: %w", marketplace.ReportsDenied, a.refused)
		}
	}
	if _, err := x.Store.Change(context.WithoutCancel(ctx), slices.Collect(maps.Keys(answers)),
		func(e *store.Entry) bool { return answers[e.Record.ID].take(e, now) }); err != nil {
		x.Health.Stored(err)
		x.locked(func() { x.woken = time.Now() })
		return
	}
	for id, a := range answers {
		switch {
		case !a.known, a.vanished:
		case a.refused == nil:
			x.acknowledged.Add(1)
		case a.sent.Refused != a.refused.Error():
			x.Logger.Warn("marketplace refused a report, trying on",
				"publication", id, "status", a.sent.Status, "error", a.refused.Error())
		}
	}
	if known {
		x.MarketSide.succeed(time.Now())
	}
}

// findOverdue has publications off sale that met only shop errors for FailAfter reported as failed. While the shop
// is in trouble, those that were never tried count too.
func (x *Engine) findOverdue(ctx context.Context) {
	now, shut := time.Now(), ""
	if shop := x.ShopSide.Status(now); !shop.Since.IsZero() {
		shut = shop.Reason
	}
	for _, state := range []store.State{store.StateBlocked, store.StatePending} {
		x.changeAll(ctx, state, func(e *store.Entry) bool { return x.Overdue(e, shut, now) })
	}
}
