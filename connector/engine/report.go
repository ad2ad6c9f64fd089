package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	// reportsAtOnce is how many reports are made before the store acknowledges them, reportsTogether of them at a time.
	reportsAtOnce, reportsTogether = 20, 4
	// lastPass bounds the last pass over what is owed. Reports that it does not reach stay owed.
	lastPass = 5 * time.Second
)

// A reporter makes the reports that are owed, one report of a publication at a time.
//
// A report moves the publication's updatedAt, and a supplier's change may hide behind that move. So a light look
// precedes each attempt. Where it still shows the updatedAt that the content was read at, the updatedAt of the reply is
// adopted; else the content is read again. It also shows whether an attempt whose answer was lost was applied.
//
// A report that the marketplace refuses stays owed. It is made again after a delay that grows to an hour, and at once
// when somebody asks. A second objection to a report, or to the look before it, counts as a refusal.
type reporter struct {
	acknowledged atomic.Int64 // reports that were acknowledged since the start

	attempts map[string]attempt // at reports whose last attempt brought no answer
	denied   bool               // the token may read and not report
	woken    time.Time          // reports that were refused before are made again now
}

// An attempt is the attempts at a report that brought no answer.
type attempt struct {
	seq   uint64 // of the report: a later report was not attempted yet
	count int
	at    time.Time // of the next
	since time.Time // of the first
}

func (x *Engine) attemptsAt(o store.Report) (a attempt) {
	x.locked(func() { a = x.attempts[o.ID] })
	if a.seq != o.Seq {
		return attempt{seq: o.Seq}
	}
	return a
}

// wakeReports has the reports made now whose last attempt brought no answer, and with refused also those that were
// refused.
func (x *Engine) wakeReports(refused bool) {
	x.locked(func() {
		for id, a := range x.attempts {
			a.at = time.Time{}
			x.attempts[id] = a
		}
		if refused {
			x.woken = time.Now()
		}
	})
	x.due.Raise()
}

// report makes reports until ctx ends; an attempt that has begun goes on under asking.
func (x *Engine) report(ctx, asking context.Context) {
	for ctx.Err() == nil {
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
		Sleep(ctx, wait, due, market)
	}
}

// reportLast makes every owed report once more before the worker ends.
func (x *Engine) reportLast(ctx context.Context) {
	if x.MarketSide.Status(time.Now()).Shut || !x.ready(ctx) {
		return
	}
	x.wakeReports(false)
	for did := true; did && ctx.Err() == nil; {
		did, _ = x.reportSome(ctx, time.Now())
	}
}

// reportSome makes one batch of reports, of those that were refused before where no other is due. Where none is, next
// is when the first may be made.
func (x *Engine) reportSome(ctx context.Context, now time.Time) (did bool, next time.Time) {
	var owed, refused []store.Report
	var woken time.Time
	x.locked(func() { woken = x.woken })
	for o, err := range store.Reports(ctx, x.Store) {
		if err != nil {
			x.Health.Stored(err)
			return false, now.Add(time.Second)
		}
		at := x.attemptsAt(o).at
		if o.Refusals > 0 {
			at = latest(at, publication.RemadeAt(o, woken, now))
		}
		switch {
		case at.After(now):
			if next.IsZero() || at.Before(next) {
				next = at
			}
		case o.Refusals > 0:
			refused = append(refused, o)
		default:
			owed = append(owed, o)
		}
		if len(owed) == reportsAtOnce {
			break
		}
	}
	if len(owed) == 0 {
		owed = refused[:min(len(refused), reportsAtOnce)]
	}
	if len(owed) > 0 && next.IsZero() {
		next = now.Add(leastCall) // where all of them are looked at
	}
	if owed = x.claimReports(owed); len(owed) > 0 {
		x.reportBatch(ctx, owed)
	}
	return len(owed) > 0, next
}

// claimReports leaves the reports that may be made now: no look at their publications begins before they are.
func (x *Engine) claimReports(owed []store.Report) []store.Report {
	x.mu.Lock()
	defer x.mu.Unlock()
	owed = slices.DeleteFunc(owed, func(o store.Report) bool { return x.passOver(o.ID) })
	for _, o := range owed {
		x.reporting[o.ID] = true
	}
	return owed
}

// passOver reports whether a publication is looked at, which may change what is owed: its report waits for that,
// and Engine.leave raises due. It does not wait for a shop that is slow to answer. The caller holds the mutex.
func (x *Engine) passOver(id string) bool {
	begun, calls := x.begun[id]
	c := x.claims[id]
	return c != nil && c.looks && !(calls && time.Since(begun) > leastCall)
}

func latest(at time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// An answer is what became of one report: the marketplace's reply, or what the look before it says in its place.
type answer struct {
	sent      store.Report
	known     bool               // else there is none, and the report is made again
	look      *marketplace.Entry // before the report; nil: that shows an earlier attempt, and is the reply
	updatedAt string             // of the reply
	vanished  bool               // the publication is gone
	refused   error              // nil: the report was acknowledged
}

// made reports whether a report was made now, and accepted.
func (a answer) made() bool { return a.known && a.look != nil && a.refused == nil }

// take takes an answer into an entry, in the transaction that acknowledges the report.
func (a answer) take(e *store.Entry, now time.Time) bool {
	switch {
	case a.refused != nil:
		return publication.Refused(e, a.sent, a.refused.Error(), now)
	case !e.Known:
		e.Owed = nil
	case a.vanished:
		if e.Owed != nil && e.Owed.Seq == a.sent.Seq {
			e.Owed = nil
		}
		publication.Looked(e, nil, now)
	default:
		if a.look != nil {
			publication.Looked(e, a.look, now)
		}
		publication.Acknowledged(e, a.sent, a.updatedAt, a.look, now)
	}
	return true
}

// reportBatch makes reports, none after a request that failed as a whole, and keeps their answers.
func (x *Engine) reportBatch(ctx context.Context, owed []store.Report) {
	defer func() {
		x.locked(func() { clear(x.reporting) })
		x.due.Raise()
	}()
	all, failed := errgroup.WithContext(ctx)
	all.SetLimit(reportsTogether)
	answers := make([]answer, len(owed))
	for i, o := range owed {
		answers[i].sent = o
		all.Go(func() error {
			if err := failed.Err(); err != nil {
				return err
			}
			return x.ask(ctx, &answers[i])
		})
	}
	if err := all.Wait(); err != nil && ctx.Err() == nil {
		x.MarketSide.Told("", err)
	}
	x.keepAnswers(ctx, answers)
}

// ask makes one report, but where an earlier attempt whose answer was lost has made it. The error is that of a request
// that failed as a whole.
func (x *Engine) ask(ctx context.Context, a *answer) (err error) {
	o := a.sent
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "report", Message: x.Health.Recovered(p, "publication", o.ID)}
		}
	}()
	again := o.Refusals > 0 || x.attemptsAt(o).count > 0
	report := marketplace.Report{ID: o.ID, Status: string(o.Status), URL: o.URL}
	look, made, err := x.Reports.Report(ctx, marketplace.Urgent, report, again || o.Since.Time().Before(x.Health.started))
	objection := err
	switch {
	case err != nil:
	case look == nil:
		a.known, a.vanished = true, true
		return nil
	case made == nil && look.Err == nil:
		a.known, a.updatedAt = true, look.UpdatedAt
		return nil
	case made == nil:
		objection = look.Err
	default:
		a.look, a.updatedAt, a.refused = look, made.UpdatedAt, made.Err
		if a.known = made.Err == nil || marketplace.KindOf(made.Err) == marketplace.Refused; a.known {
			return nil
		}
		objection = made.Err
	}
	a.refused = nil
	if again && marketplace.IsObjection(objection) { // the second counts as a refusal, and is the publication's own
		a.known, a.refused = true, objection
	}
	if a.known || err == nil {
		x.Health.FailedAt(partMarketplace, o.ID, objection.Error())
	}
	return err
}

// keepAnswers makes answers durable. Where reports are denied and none is accepted the token may make none: that is
// told of once for all, and once a report is accepted again, all are made.
func (x *Engine) keepAnswers(ctx context.Context, answers []answer) {
	of, made, denied := map[string]answer{}, slices.ContainsFunc(answers, answer.made), false
	for _, a := range answers {
		if !a.known {
			x.unanswered(a.sent)
			continue
		}
		if marketplace.IsDenied(a.refused) && !made {
			a.refused, denied = fmt.Errorf("%s: %w", marketplace.ReportsDenied, a.refused), true
		}
		of[a.sent.ID] = a
	}
	if len(of) == 0 {
		return
	}
	now, news := time.Now(), map[string]bool{}
	_, err := x.Store.Change(context.WithoutCancel(ctx), slices.Collect(maps.Keys(of)), func(e *store.Entry) bool {
		a := of[e.Record.ID]
		news[e.Record.ID] = a.refused != nil && (e.Owed == nil || e.Owed.Refused != a.refused.Error())
		return a.take(e, now)
	})
	if err != nil {
		x.Health.Stored(err)
		for _, a := range of {
			x.unanswered(a.sent)
		}
		return
	}
	var accepted []string
	for id, a := range of {
		switch {
		case a.refused == nil:
			if accepted = append(accepted, id); !a.vanished {
				x.acknowledged.Add(1)
			}
		case news[id] && !(denied && marketplace.IsDenied(a.refused)):
			x.Logger.Warn("marketplace refused a report, trying on",
				"publication", id, "status", a.sent.Status, "error", a.refused.Error())
		}
	}
	was := false
	x.locked(func() {
		for id := range of {
			delete(x.attempts, id)
		}
		was, x.denied = x.denied, !made && (x.denied || denied)
	})
	switch {
	case denied && !was:
		x.Logger.Error("reports are denied, they stay owed and are tried again", "error", marketplace.ReportsDenied)
	case was && made:
		x.Logger.Info("reports are accepted again")
		x.wakeReports(true)
	}
	now = time.Now()
	x.MarketSide.succeed(now, accepted...)
}

// unanswered has a report made again later.
func (x *Engine) unanswered(o store.Report) {
	now, a := time.Now(), x.attemptsAt(o)
	if a.count++; a.count == 1 {
		a.since = now
	}
	a.at = now.Add(Backoff(a.count, x.Waiters.MaxBackoff()))
	x.locked(func() { x.attempts[o.ID] = a })
}

// mayStillReport reports whether a report is owed that a run which began at a time may still make: lasts says
// for how long one is attempted without an answer. One that was refused since then had its answer.
func (x *Engine) mayStillReport(
	ctx context.Context, begun time.Time, lasts func(since time.Time) bool,
) (may bool, err error) {
	if x.locked(func() { may = len(x.reporting) > 0 }); may {
		return true, nil
	}
	for o, err := range store.Reports(ctx, x.Store) {
		if err != nil {
			return false, err
		}
		if a := x.attemptsAt(o); o.RefusedAt < store.At(begun) && (a.count == 0 || lasts(a.since)) {
			return true, nil
		}
	}
	return false, nil
}

// findOverdue owes the report failed of publications that are not on sale and have met only errors of the shop for
// FailAfter. While the shop refuses everything, that includes publications that were never tried.
func (x *Engine) findOverdue(ctx context.Context) {
	now, shut := time.Now(), ""
	if shop := x.ShopSide.Status(now); !shop.Since.IsZero() {
		shut = shop.Reason
	}
	for _, state := range []store.State{store.StateBlocked, store.StatePending} {
		if x.changeAll(ctx, state, func(e *store.Entry) bool { return x.Overdue(e, shut, now) }) > 0 {
			x.due.Raise()
		}
	}
}
