package engine

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// settle ends a look with a step and its outcome. Where strict says so it writes nothing of a step that
// was decided on a record that has changed since, and returns false.
func (x *Engine) settle(
	ctx context.Context, set *publication.Settings, st publication.Step, attempt uint64, out publication.Outcome,
	strict bool,
) bool {
	now, id, lacks := time.Now(), st.Before().ID, st.Lacks()
	if lacks != "" {
		if st.Before().Problem.Kind != store.ProblemWaiting {
			x.Logger.Warn("publication waits for the marketplace", "publication", id, "reason", lacks)
		}
		x.Health.FailedAt(partMarketplace, id, lacks)
	}
	stale := false
	e, ok := x.write(ctx, id, now, func(e *store.Entry) bool {
		if stale = strict && st.Stale(e.Record); !stale {
			set.Ended(e, attempt, st, out, now)
		}
		return !stale
	})
	if !ok {
		return !stale
	}
	x.count(st, e)
	if x.recorder != nil {
		x.recorder.settled(st, e.Record)
	}
	if p := e.Record.Problem; p.Kind != "" && p.Last == store.At(now) && lacks == "" {
		x.tellProblem(id, p)
	}
	if st.FoundRemoval() {
		x.foundRemoval()
	}
	return true
}

func (x *Engine) tellProblem(id string, p store.Problem) {
	kind := map[store.ProblemKind]shopadapter.Kind{
		store.ProblemRejected: shopadapter.Rejected, store.ProblemBlocked: shopadapter.Blocked,
	}[p.Kind] // else Transient
	x.Metrics.failed(kind)
	if !p.Wide { // else the shop's breaker has said it once
		x.Logger.Warn("publication not settled", "publication", id, "kind", kind.String(), "error", p.Message)
	}
}

// write makes the end of a look durable, and returns the entry as it was written. What a look has done is
// kept even when its caller is being stopped.
func (x *Engine) write(
	ctx context.Context, id string, now time.Time, end func(*store.Entry) bool,
) (after store.Entry, ok bool) {
	var before store.Record
	if !x.change(ctx, id, func(e *store.Entry) bool {
		before = e.Record
		ok := end(e)
		after = *e
		return ok
	}) {
		return after, false
	}
	after.Record.ID = id
	problem := after.Record.Problem.Kind // a refusal that another call follows upon has not ended yet
	goesOn := problem != "" && after.Mark != nil && after.Mark.At <= store.At(now)
	if (problem == store.ProblemTransient || goesOn) && !after.Forget {
		x.retries(id, now)
	} else {
		x.locked(func() { delete(x.retrying, id) })
		x.Health.progressed(now)
	}
	if !after.Forget {
		tellChange(x.Logger, before, after.Record, after.News)
	}
	x.owed.Raise()
	// the shop's check may have passed meanwhile, before the record of the failure was written
	if after.Record.Problem.Wide && !x.ShopSide.Status(now).Refused &&
		x.change(ctx, id, func(e *store.Entry) bool { return publication.Unblock(e, now) }) {
		x.due.Raise()
	}
	return after, true
}

// retryAt has a look tried again that met a transient error.
func (x *Engine) retryAt(ctx context.Context, m store.Mark, at time.Time) {
	if err := x.putOff(context.WithoutCancel(ctx), m, at, 1); err != nil {
		x.Health.Stored(err)
	}
	x.retries(m.ID, time.Now())
}

// retries records that a publication met a transient error and is tried again.
func (x *Engine) retries(id string, now time.Time) {
	x.locked(func() {
		if _, known := x.retrying[id]; !known {
			x.retrying[id] = now
		}
	})
}

// stopped puts the mark of a look that was cancelled behind what is due now: one that hangs is not the
// first in the next run again. A cancelled look is no failure. A withdrawal keeps its rank.
func (x *Engine) stopped(ctx context.Context, st publication.Step, took time.Duration) {
	if st.Removed() {
		return
	}
	now := time.Now()
	x.change(ctx, st.Before().ID, func(e *store.Entry) bool {
		if e.Mark != nil && e.Mark.At < store.At(now) {
			e.Mark.At = store.At(now)
		}
		if took > leastCall && st.Before().Problem.Kind == "" { // else its history tells of it already
			publication.Stopped(e, took, now)
		}
		return true
	})
}
