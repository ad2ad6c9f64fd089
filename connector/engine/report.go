package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Reports is the marketplace as reports are made to it: [marketplace.Client], and in a plan one that is
// told nothing.
type Reports interface {
	Look(
		ctx context.Context, p marketplace.Priority, ids []string, detail bool,
	) (map[string]*marketplace.Entry, error)
	LookAndReport(
		ctx context.Context, p marketplace.Priority, reports []marketplace.Report,
		choose func(r marketplace.Report, look *marketplace.Entry) bool,
	) ([]marketplace.Result, error)
}

const (
	// reportsAtOnce is how many reports are made together, before the store acknowledges them.
	reportsAtOnce = 20
	// lastPass bounds the last pass over what is owed. Reports that it does not reach stay owed.
	lastPass = 5 * time.Second
)

// A reporter makes the reports that are owed, one report of a publication at a time.
//
// A report moves the publication's updatedAt, and a supplier's change may hide behind that move. So a
// light look precedes each attempt. Where it still shows the updatedAt that the content was read at, the
// updatedAt of the reply is adopted; else the content is read again. An attempt whose answer was lost may
// have been applied: before the next one, a look shows status and address.
//
// A report that the marketplace refuses stays owed, and the store knows how often it was refused and when.
// It is made again after a delay that grows to an hour, and at once when somebody asks. Reports that were
// never refused go first.
type reporter struct {
	owed         *breaker.Signal // raised when a report may be owed, or may be made now
	answered     *breaker.Signal // raised at the end of each attempt
	acknowledged atomic.Int64    // reports that were acknowledged since the start

	attempts map[string]attempt // at reports whose last attempt brought no answer
	lastAck  store.Instant
	trouble  error     // of the last batch; nil: it could be made
	denied   bool      // the token may not report, as the last batch showed
	woken    time.Time // reports that were refused before are made again now
}

// An attempt is the attempts at a report that brought no answer.
type attempt struct {
	seq   uint64 // of the report: a later report was not attempted yet
	count int
	at    time.Time // of the next
	since time.Time // of the first
	err   error     // of the last that was answered with one of its own

	objected time.Time // since when the marketplace has objected to each; zero: it has not
}

func newReporter(started time.Time) reporter {
	return reporter{
		owed: breaker.NewSignal(), answered: breaker.NewSignal(), attempts: map[string]attempt{}, woken: started,
	}
}

// attemptsAt is the attempts at a report that brought no answer. The caller holds the mutex.
func (r *reporter) attemptsAt(o store.Report) attempt {
	if a := r.attempts[o.ID]; a.seq == o.Seq {
		return a
	}
	return attempt{seq: o.Seq}
}

// wakeReports has every report made now, the refused ones among them.
func (x *Engine) wakeReports(now time.Time) {
	x.locked(func() {
		x.retryReports()
		x.woken = now
	})
	x.owed.Raise()
}

// retryReports has the reports made now whose last attempt brought no answer. The caller holds the mutex.
func (r *reporter) retryReports() {
	for id, a := range r.attempts {
		a.at = time.Time{}
		r.attempts[id] = a
	}
}

// deny records whether a batch was denied, or some of it accepted. Once a report is accepted, all that were
// denied are made again.
func (x *Engine) deny(denied, accepted bool) {
	var was, now bool
	x.locked(func() {
		was = x.denied
		x.denied = !accepted && (was || denied)
		now = x.denied
	})
	switch {
	case now && !was:
		x.Logger.Error("reports are denied, they stay owed and are tried again", "error", marketplace.ReportsDenied)
	case was && !now:
		x.Logger.Info("reports are accepted again")
		x.wakeReports(time.Now())
	}
}

// report makes reports until ctx ends; an attempt that has begun goes on under asking.
func (x *Engine) report(ctx, asking context.Context) {
	for ctx.Err() == nil {
		owed, market := x.owed.Raised(), x.MarketSide.Changed()
		now := time.Now()
		wait := quiet
		if s := x.MarketSide.Status(now); s.Open {
			wait = s.Wait(now)
		} else if !x.ready(ctx) {
			wait = time.Second
		} else if did, next := x.reportSome(asking, now); did {
			continue
		} else if !next.IsZero() {
			wait = max(next.Sub(now), time.Millisecond)
		}
		breaker.Sleep(ctx, wait, owed, market)
	}
}

// reportLast makes every owed report once more before the worker ends.
func (x *Engine) reportLast(ctx context.Context) {
	if x.MarketSide.Status(time.Now()).Open || !x.ready(ctx) {
		return
	}
	x.locked(x.retryReports)
	for did := true; did && ctx.Err() == nil; {
		did, _ = x.reportSome(ctx, time.Now())
	}
}

// reportSome makes one batch of reports, of refused ones where no other is due. next is when the earliest waiting
// report may be made.
func (x *Engine) reportSome(ctx context.Context, now time.Time) (did bool, next time.Time) {
	for _, refused := range []bool{false, true} {
		owed, at, err := x.nextReports(ctx, now, refused)
		if err != nil {
			x.Health.StoreFailed(err)
			return false, now.Add(time.Second)
		}
		if len(owed) > 0 {
			x.reportBatch(ctx, owed)
			return true, now
		}
		if next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return false, next
}

// nextReports is the next reports to make, of those that were refused before or of the others. Where there is
// none, next is when the first may be made.
func (x *Engine) nextReports(
	ctx context.Context, now time.Time, refused bool,
) (owed []store.Report, next time.Time, err error) {
	for o, err := range store.Reports(ctx, x.Store) {
		if err != nil {
			return nil, next, err
		}
		if refused != (o.Refusals > 0) {
			continue
		}
		if at := x.reportAt(o, now); at.After(now) {
			if next.IsZero() || at.Before(next) {
				next = at
			}
			continue
		}
		if owed = append(owed, o); len(owed) == reportsAtOnce {
			break
		}
	}
	return owed, next, nil
}

func (x *Engine) reportAt(o store.Report, now time.Time) time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	at := x.attemptsAt(o).at
	if o.Refusals > 0 {
		at = latest(at, publication.RemadeAt(o, x.woken, now))
	}
	return at
}

func latest(at time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// putOffReports has reports made again later.
func (x *Engine) putOffReports(reports ...store.Report) {
	x.locked(func() {
		for _, o := range reports {
			a := x.attemptsAt(o)
			if a.count == 0 {
				a.since = time.Now()
			}
			a.count++
			a.at = time.Now().Add(breaker.Backoff(a.count, x.Waiters.MaxBackoff()))
			x.attempts[o.ID] = a
		}
	})
}

// mayStillReport reports whether a report is owed that may still be made within the patience of a run: one
// that has not been attempted without an answer for that long. A report that was refused since the run
// began does not count: it had its answer.
func (x *Engine) mayStillReport(ctx context.Context, p patience, now time.Time) (bool, error) {
	underWay := false
	x.locked(func() { underWay = len(x.reporting) > 0 })
	if underWay {
		return true, nil
	}
	for o, err := range store.Reports(ctx, x.Store) {
		if err != nil {
			return false, err
		}
		var a attempt
		x.locked(func() { a = x.attemptsAt(o) })
		if o.RefusedAt < store.At(p.from) && (a.count == 0 || p.lasts(a.since, now)) {
			return true, nil
		}
	}
	return false, nil
}

// findOverdue owes the report failed of publications that are not on sale and have met only errors of the
// shop for FailAfter. While the shop refuses everything, that includes publications that were never tried.
func (x *Engine) findOverdue(ctx context.Context) {
	now := time.Now()
	shut := ""
	if shop := x.ShopSide.Status(now); !shop.Since.IsZero() {
		shut = shop.Reason
	}
	var overdue []string
	for _, state := range []store.State{store.StateBlocked, store.StatePending} {
		for r, err := range store.Records(ctx, x.Store, store.Query{Key: store.KeyState(state)}) {
			if err != nil {
				x.Health.StoreFailed(err)
				return
			}
			if x.Overdue(&store.Entry{Record: r, Known: true}, shut, now) {
				overdue = append(overdue, r.ID)
			}
		}
	}
	if len(overdue) == 0 {
		return
	}
	if _, err := x.Store.Change(ctx, overdue, func(e *store.Entry) bool {
		return e.Known && x.Overdue(e, shut, now)
	}); err != nil {
		x.Health.StoreFailed(err)
		return
	}
	x.owed.Raise()
}
