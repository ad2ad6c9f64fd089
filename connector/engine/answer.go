package engine

import (
	"context"
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

// answers are those of one batch, by publication. A report that has none is made again.
type answers map[string]answer

// reportBatch makes reports, and keeps their answers. Each report without an answer is made again at a time of
// its own. No look at a publication is begun meanwhile: a report moves its updatedAt.
func (x *Engine) reportBatch(ctx context.Context, owed []store.Report) {
	x.locked(func() {
		for _, o := range owed {
			x.reporting[o.ID] = true
		}
	})
	defer func() {
		x.locked(func() { clear(x.reporting) })
		x.answered.Raise()
		x.due.Raise()
	}()
	as := answers{}
	trouble := x.ask(ctx, owed, as)
	if trouble != nil && ctx.Err() == nil {
		x.MarketSide.Judge("", breaker.OfMarketplace(trouble))
	}
	accepted, made, denied := 0, false, false
	for _, o := range owed {
		a, answered := as[o.ID]
		switch {
		case !answered:
			x.putOffReports(o)
			if trouble == nil { // that of this report alone
				x.locked(func() { trouble = x.attemptsAt(o).err })
			}
		case a.refused != nil:
			denied = denied || marketplace.IsDenied(a.refused)
		case !a.vanished:
			accepted, made = accepted+1, made || a.look != nil
		}
	}
	x.locked(func() { x.trouble = trouble })
	x.deny(denied, made)
	x.keepAnswers(ctx, as, accepted)
}

// ask makes reports, except those that an earlier attempt has made though its answer was lost, of this process
// or the one before. The error is that of a request that failed as a whole.
func (x *Engine) ask(ctx context.Context, owed []store.Report, as answers) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "report", Message: x.Health.Recovered(p, "reports", len(owed))}
		}
	}()
	if err := x.findArrived(ctx, owed, as); err != nil {
		return err
	}
	of := make(map[string]store.Report, len(owed))
	var reports []marketplace.Report
	for _, o := range owed {
		of[o.ID] = o
		if _, arrived := as[o.ID]; !arrived {
			reports = append(reports, marketplace.Report{ID: o.ID, Status: string(o.Status), URL: o.URL})
		}
	}
	if len(reports) == 0 {
		return nil
	}
	looked := make(map[string]*marketplace.Entry, len(owed))
	results, err := x.Reports.LookAndReport(ctx, marketplace.Urgent, reports,
		func(report marketplace.Report, look *marketplace.Entry) bool {
			o := of[report.ID]
			switch {
			case look == nil:
				as[o.ID] = answer{sent: o, vanished: true}
			case look.Err == nil:
				looked[o.ID] = look
				return true
			case x.objectedFor(o, look.Err) >= ownAfter: // it is the publication's own
				as[o.ID] = answer{sent: o, refused: look.Err}
			}
			return false
		})
	for _, res := range results {
		switch o := of[res.ID]; {
		case res.Err == nil:
			as[o.ID] = answer{sent: o, reply: res, look: looked[o.ID]}
		case marketplace.KindOf(res.Err) == marketplace.Refused:
			as[o.ID] = answer{sent: o, refused: res.Err}
		case x.objectedFor(o, res.Err) >= ownAfter:
			as[o.ID] = answer{sent: o, refused: res.Err}
			x.Health.FailedAt(health.Marketplace, o.ID, res.Err.Error())
		case marketplace.KindOf(res.Err) == marketplace.Invalid:
			x.MarketSide.Judge(o.ID, breaker.OfMarketplace(res.Err))
		}
	}
	return err
}

// findArrived looks whether an earlier attempt at a report has arrived: status and address are as it says.
func (x *Engine) findArrived(ctx context.Context, owed []store.Report, as answers) error {
	var attempted []string
	x.locked(func() {
		for _, o := range owed {
			if x.attemptsAt(o).count > 0 || o.Refusals > 0 || o.Since.Time().Before(x.Health.Started()) {
				attempted = append(attempted, o.ID)
			}
		}
	})
	if len(attempted) == 0 {
		return nil
	}
	looks, err := x.Reports.Look(ctx, marketplace.Urgent, attempted, true)
	if err != nil {
		return err
	}
	for _, o := range owed {
		e := looks[o.ID]
		if e != nil && e.Err == nil && store.Status(e.Status) == o.Status &&
			(o.Status != store.StatusSuccess || e.ProductURL == o.URL) {
			as[o.ID] = answer{sent: o, reply: marketplace.Result{ID: o.ID, Status: e.Status, UpdatedAt: e.UpdatedAt}}
		}
	}
	return nil
}

// ownAfter is how long the marketplace must object to a report, or to the look before it, before that
// counts as a refusal of it.
const ownAfter = 10 * time.Second

// objectedFor is how long the marketplace has objected to every request with a report, zero where it has
// not.
func (x *Engine) objectedFor(o store.Report, err error) (long time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.attemptsAt(o)
	switch a.err = err; {
	case !marketplace.IsObjection(err):
		a.objected = time.Time{}
	case o.Refusals > 0:
		return ownAfter
	case a.objected.IsZero():
		a.objected = time.Now()
	default:
		long = time.Since(a.objected)
	}
	x.attempts[o.ID] = a
	return long
}

// keepAnswers makes answers durable; accepted is how many of them are of accepted reports. They count even
// when the process is stopping. Refused reports stay owed.
func (x *Engine) keepAnswers(ctx context.Context, as answers, accepted int) {
	if len(as) == 0 {
		return
	}
	now, news := time.Now(), map[string]bool{}
	ids := slices.Sorted(maps.Keys(as))
	_, err := x.Store.Change(context.WithoutCancel(ctx), ids, func(e *store.Entry) bool {
		a := as[e.Record.ID]
		news[e.Record.ID] = a.refused != nil && (e.Owed == nil || e.Owed.Refused != a.refused.Error())
		return a.take(e, now)
	})
	if err != nil {
		x.Health.StoreFailed(err)
		for _, a := range as {
			x.putOffReports(a.sent)
		}
		return
	}
	x.acknowledged.Add(int64(accepted))
	now = time.Now()
	var acknowledged []string
	x.locked(func() {
		for _, id := range ids {
			delete(x.attempts, id)
			if as[id].refused == nil {
				acknowledged, x.lastAck = append(acknowledged, id), store.At(now)
			}
		}
	})
	for _, id := range ids {
		if a := as[id]; news[id] && !marketplace.IsDenied(a.refused) { // a denial is logged once for all
			x.Logger.Warn("marketplace refused a report, trying on",
				"publication", id, "status", a.sent.Status, "error", a.refused.Error())
		}
	}
	x.MarketSide.Succeed(now, acknowledged...)
	x.Health.Progressed(now)
}
