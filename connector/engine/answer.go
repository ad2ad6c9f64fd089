package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// An answer is what became of one report: the marketplace's reply, or what a look says in its place.
type answer struct {
	sent     store.Report
	reply    marketplace.Result
	look     *marketplace.Entry // before the report; nil: the reply is one itself
	vanished bool               // the publication is gone
	refused  error              // nil: the report was acknowledged
}

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
		publication.Acknowledged(e, a.sent, a.reply.UpdatedAt, a.look, now)
	}
	return true
}

// attemptReports makes one batch of reports, and returns how many were refused. After a panic each report
// of the batch is made again at a time of its own.
func (x *Engine) attemptReports(ctx context.Context, owed []store.Report) (refused int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = x.unsent(&marketplace.Error{Op: "report", Message: x.Health.Recovered(p, "reports", len(owed))}, owed)
		}
	}()
	owed, err = x.dropApplied(ctx, owed)
	if err != nil {
		return 0, x.unsent(err, owed)
	}
	if len(owed) == 0 {
		return 0, nil
	}
	left := make(map[string]store.Report, len(owed))
	reports := make([]marketplace.Report, len(owed))
	for i, o := range owed {
		left[o.ID] = o
		reports[i] = marketplace.Report{ID: o.ID, Status: string(o.Status), URL: o.URL}
	}
	looked := make(map[string]*marketplace.Entry, len(owed))
	results, err := x.Reports.LookAndReport(ctx, marketplace.Urgent, reports,
		func(report marketplace.Report, look *marketplace.Entry) bool {
			looked[report.ID] = look
			return look != nil && look.Err == nil
		})
	answers, failed, accepted := map[string]answer{}, err, 0
	var denied, absent bool
	for _, res := range results {
		o := left[res.ID]
		delete(left, res.ID)
		switch {
		case res.Err == nil:
			accepted++
			answers[o.ID] = answer{sent: o, reply: res, look: looked[o.ID]}
		case marketplace.KindOf(res.Err) == marketplace.Refused:
			answers[o.ID] = answer{sent: o, refused: res.Err}
			absent, denied = absent || marketplace.IsAbsent(res.Err), denied || marketplace.IsDenied(res.Err)
		case x.objectedFor(o, res.Err) >= ownAfter: // it is the publication's own
			answers[o.ID] = answer{sent: o, refused: res.Err}
			x.Health.FailedAt(health.Marketplace, o.ID, res.Err.Error())
		default:
			x.putOffReports(o)
			failed = res.Err
			if marketplace.KindOf(res.Err) == marketplace.Invalid {
				x.MarketSide.Judge(o.ID, breaker.OfMarketplace(res.Err))
			}
		}
	}
	if denied { // unless the token as a whole has become bad since the look
		if _, err := x.Reports.Look(ctx, marketplace.Urgent, refusedIn(answers)[:1], false); err != nil {
			x.unsent(err, owed) //nolint:errcheck // it is err
			maps.DeleteFunc(answers, func(_ string, a answer) bool { return a.refused != nil })
			return 0, errors.Join(err, x.keepAnswers(ctx, answers, accepted))
		}
	}
	if absent {
		looks, err := x.Reports.Look(ctx, marketplace.Urgent, refusedIn(answers), false)
		for id, e := range looks {
			if e == nil && err == nil {
				answers[id] = answer{sent: answers[id].sent, vanished: true}
			}
		}
	}
	for id, o := range left { // not sent
		switch entry, answered := looked[id]; {
		case answered && entry == nil:
			answers[id] = answer{sent: o, vanished: true}
		case answered && x.objectedFor(o, entry.Err) >= ownAfter:
			answers[id] = answer{sent: o, refused: entry.Err}
		default:
			x.putOffReports(o)
		}
	}
	x.locked(func() { x.trouble = failed })
	x.deny(denied, accepted > 0)
	return len(refusedIn(answers)), errors.Join(err, x.keepAnswers(ctx, answers, accepted))
}

// unsent has reports made again that an error kept from being sent, and returns the error.
func (x *Engine) unsent(err error, owed []store.Report) error {
	x.locked(func() { x.trouble = err })
	x.putOffReports(owed...)
	return err
}

func refusedIn(answers map[string]answer) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(answers)) {
		if answers[id].refused != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// ownAfter is how long the marketplace must object to a report, or to the look before it, before that
// counts as a refusal of it.
const ownAfter = 10 * time.Second

// objectedFor is how long the marketplace has objected to every request with a report, zero where it has
// not.
func (x *Engine) objectedFor(o store.Report, err error) (long time.Duration) {
	x.locked(func() {
		a := x.attemptsAt(o)
		switch {
		case !marketplace.IsObjection(err):
			a.objected = time.Time{}
		case o.Refusals > 0:
			long = ownAfter
			return
		case a.objected.IsZero():
			a.objected = time.Now()
		default:
			long = time.Since(a.objected)
			return
		}
		x.attempts[o.ID] = a
	})
	return long
}

// dropApplied acknowledges the reports that an earlier attempt has made, though its answer was lost, of
// this process or the one before. It returns the others.
func (x *Engine) dropApplied(ctx context.Context, owed []store.Report) (left []store.Report, err error) {
	var attempted []string
	x.locked(func() {
		for _, o := range owed {
			if x.attemptsAt(o).count > 0 || o.Refusals > 0 || o.Since.Time().Before(x.Health.Started()) {
				attempted = append(attempted, o.ID)
			}
		}
	})
	if len(attempted) == 0 {
		return owed, nil
	}
	looks, err := x.Reports.Look(ctx, marketplace.Urgent, attempted, true)
	if err != nil {
		return owed, err
	}
	answers := map[string]answer{}
	for _, o := range owed {
		e := looks[o.ID]
		if e != nil && e.Err == nil && store.Status(e.Status) == o.Status &&
			(o.Status != store.StatusSuccess || e.ProductURL == o.URL) {
			reply := marketplace.Result{ID: o.ID, Status: e.Status, UpdatedAt: e.UpdatedAt}
			answers[o.ID] = answer{sent: o, reply: reply}
			continue
		}
		left = append(left, o)
	}
	return left, x.keepAnswers(ctx, answers, len(answers))
}

// keepAnswers makes answers durable; accepted is how many of them are of accepted reports. They count even
// when the process is stopping. Refused reports stay owed.
func (x *Engine) keepAnswers(ctx context.Context, answers map[string]answer, accepted int) error {
	if len(answers) == 0 {
		return nil
	}
	now, news := time.Now(), map[string]bool{}
	ids := slices.Sorted(maps.Keys(answers))
	_, err := x.Store.Change(context.WithoutCancel(ctx), ids, func(e *store.Entry) bool {
		a := answers[e.Record.ID]
		news[e.Record.ID] = a.refused != nil && (e.Owed == nil || e.Owed.Refused != a.refused.Error())
		return a.take(e, now)
	})
	if err != nil {
		x.Health.StoreFailed(err)
		for _, a := range answers {
			x.putOffReports(a.sent)
		}
		return err
	}
	x.acknowledged.Add(int64(accepted))
	now = time.Now()
	var acknowledged []string
	for _, id := range ids {
		a := answers[id]
		x.locked(func() {
			if delete(x.attempts, id); a.refused == nil {
				x.lastAck = store.At(now)
			}
		})
		switch {
		case a.refused == nil:
			acknowledged = append(acknowledged, id)
		case news[id] && !marketplace.IsDenied(a.refused): // a denial is logged once for all
			x.Logger.Warn("marketplace refused a report, trying on",
				"publication", id, "status", a.sent.Status, "error", a.refused.Error())
		}
	}
	x.MarketSide.Succeed(now, acknowledged...)
	x.Health.Progressed(now)
	if len(acknowledged) > 0 {
		x.due.Raise()
	}
	return nil
}
