package look

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// settle ends a look with a step and its outcome. Where strict says so it writes nothing of a step that
// was decided on a record that has changed since, and returns false.
func (l *Looks) settle(
	ctx context.Context, set *publication.Settings, st publication.Step, attempt uint64, out publication.Outcome,
	strict bool,
) bool {
	now, id := time.Now(), st.Before().ID
	if lacks := st.Lacks(); lacks != "" {
		if st.Before().Problem.Kind != store.ProblemWaiting {
			l.Log.Warn("publication waits for the marketplace", "publication", id, "reason", lacks)
		}
		l.Health.FailedAt(health.Marketplace, id, lacks)
	}
	set, stale := l.hurried(set), false
	e, ok := l.write(ctx, id, now, func(e *store.Entry) bool {
		if stale = strict && st.Stale(e.Record); !stale {
			set.Ended(e, attempt, st, out, now)
		}
		return !stale
	})
	if !ok {
		return !stale
	}
	l.counter.did(st, e)
	if l.Observer != nil {
		l.Observer.Settled(st, e.Record)
	}
	if p := e.Record.Problem; p.Kind != "" && p.Last == store.At(now) && st.Lacks() == "" {
		l.failed(id, p)
	}
	if st.FoundRemoval() {
		l.Removals.FoundRemoval()
	}
	return true
}

// hurried is settings whose retries are quick while somebody waits for a run. It is asked once for an
// end, since a function that changes an entry may run twice.
func (l *Looks) hurried(set *publication.Settings) *publication.Settings {
	now, most := *set, l.Waiters.MaxBackoff()
	now.Backoff = func(id string, tries int) time.Duration { return breaker.BackoffOf(id, tries, most) }
	return &now
}

// failed tells of a problem that a look met.
func (l *Looks) failed(id string, p store.Problem) {
	kind := map[store.ProblemKind]shopadapter.Kind{
		store.ProblemRejected: shopadapter.Rejected, store.ProblemBlocked: shopadapter.Blocked,
	}[p.Kind] // else Transient
	l.Metrics.Failed(kind)
	if !p.Wide { // else the shop's breaker has said it once
		l.Log.Warn("publication not settled", "publication", id, "kind", kind.String(), "error", p.Message)
	}
}

// write makes the end of a look durable, and returns the entry as it was written. What a look has done
// is kept even when its caller is being stopped.
func (l *Looks) write(
	ctx context.Context, id string, now time.Time, end func(*store.Entry) bool,
) (after store.Entry, ok bool) {
	var before store.Record
	n, err := l.Store.Change(context.WithoutCancel(ctx), []string{id}, func(e *store.Entry) bool {
		before = e.Record
		ok := end(e)
		after = *e
		return ok
	})
	if err != nil {
		l.Health.StoreFailed(err)
	}
	if err != nil || n == 0 {
		return after, false
	}
	after.Record.ID = id
	problem := after.Record.Problem.Kind // a refusal that another call follows upon has not ended yet
	goesOn := problem != "" && after.Mark != nil && after.Mark.At <= store.At(now)
	if (problem == store.ProblemTransient || goesOn) && !after.Forget {
		l.retrying.add(id, now)
	} else {
		l.retrying.forget(id)
		l.late.settled(after.Record.Pictures.LateAt, now)
		l.Health.Progressed(now)
	}
	if !after.Forget {
		l.teller.tell(before, after.Record, after.News, now)
	}
	l.Reports.Notify()
	l.unblock(ctx, after.Record, now)
	return after, true
}

// unblock makes a publication due again that failed because the shop refused everything, where the
// shop's check has passed meanwhile: that check came before the record of the failure.
func (l *Looks) unblock(ctx context.Context, r store.Record, now time.Time) {
	if !r.Problem.Wide || l.ShopBreaker.Status(now).Refused {
		return
	}
	if l.change(ctx, r.ID, func(e *store.Entry) bool { return publication.Unblock(e, now) }) {
		l.Due.Raise()
	}
}

// change changes what is held of one publication, and reports whether it did.
func (l *Looks) change(ctx context.Context, id string, change func(*store.Entry) bool) bool {
	n, err := l.Store.Change(context.WithoutCancel(ctx), []string{id}, change)
	if err != nil {
		l.Health.StoreFailed(err)
	}
	return n > 0
}

// retryAt has a look tried again that met a transient error.
func (l *Looks) retryAt(ctx context.Context, m store.Mark, at time.Time) {
	if err := schedule.PutOff(context.WithoutCancel(ctx), l.Store, m, at, 1); err != nil {
		l.Health.StoreFailed(err)
	}
	l.retrying.add(m.ID, time.Now())
}

// undo ends the attempt of a call that was not made.
func (l *Looks) undo(ctx context.Context, st publication.Step, attempt uint64) {
	l.change(ctx, st.Before().ID, func(e *store.Entry) bool { return publication.Undone(e, attempt) })
}

// stop puts the mark of a look that was cancelled behind what is due now: one that hangs is not the
// first in the next run again. A cancelled look is no failure. A withdrawal keeps its rank.
func (l *Looks) stop(ctx context.Context, st publication.Step, took time.Duration) {
	if st.Removed() {
		return
	}
	now := time.Now()
	l.change(ctx, st.Before().ID, func(e *store.Entry) bool {
		if e.Mark != nil && e.Mark.At < store.At(now) {
			e.Mark.At = store.At(now)
		}
		if took > call.Least && st.Before().Problem.Kind == "" { // else its history tells of it already
			publication.Stopped(e, took, now)
		}
		return true
	})
}
