package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// looks is guarded by the engine's mutex.
type looks struct {
	outcomes map[string]string    // of this run's looks, by publication
	retrying map[string]time.Time // when a publication first met its transient error
	misread  map[string]int       // failed readings in a row
	objected map[string]bool      // of these, by the publication's own fault
}

// settle ends a look. Without a call it writes nothing when the record has changed since the decision, and returns
// false.
func (x *Engine) settle(ctx context.Context, st publication.Step, attempt uint64, out publication.Outcome) bool {
	now, stale := time.Now(), false
	e, ok := x.write(ctx, st.Before().ID, now, func(s *publication.Settings, e *store.Entry) bool {
		if stale = !st.Calls() && st.Stale(e.Record); !stale {
			s.Ended(e, attempt, st, out, now)
		}
		return !stale
	})
	if !ok {
		return !stale
	}
	x.count(st, e)
	if x.recorder != nil && out.Err == nil {
		x.recorder.settled(st, e.Record)
	}
	if st.FoundRemoval() {
		x.foundRemoval()
	}
	return true
}

// write ends a look, and tells what has come of it.
func (x *Engine) write(
	ctx context.Context, id string, now time.Time, end func(*publication.Settings, *store.Entry) bool,
) (after store.Entry, ok bool) {
	was, settings, most := store.Problem{}, x.Settings, x.MaxBackoff() // once: a transaction may run twice
	settings.Backoff = func(id string, tries int) time.Duration { return backoffOf(id, tries, most) }
	if !x.change(ctx, id, func(e *store.Entry) bool {
		was = e.Record.Problem
		ok := end(&settings, e)
		after = *e
		return ok
	}) {
		return after, false
	}
	after.Record.ID = id
	p := after.Record.Problem
	switch {
	case p.Kind == "" || p.Last != store.At(now):
	case p.Kind == store.ProblemWaiting:
		if was.Kind != p.Kind {
			x.Logger.Warn("publication waits for the marketplace", "publication", id, "reason", p.Message)
		}
		x.Health.Failed(p.Message)
	default:
		x.Metrics.failures.WithLabelValues(string(p.Kind)).Inc()
		if !p.Wide { // else the shop's gate logs it
			x.Logger.Warn("publication not settled", "publication", id, "kind", p.Kind, "error", p.Message)
		}
	}
	// a refusal that another call follows has not ended yet
	goesOn := p.Kind != "" && after.Mark != nil && after.Mark.At <= store.At(now)
	if (p.Kind == store.ProblemTransient || goesOn) && !after.Forget {
		x.retries(id, now)
	} else {
		x.locked(func() { delete(x.retrying, id) })
	}
	x.tellNews(id, after)
	// the shop's check may have passed before the failure was written
	if p.Wide && !x.ShopSide.Status(now).Refused &&
		x.change(ctx, id, func(e *store.Entry) bool { return publication.Unblock(e, now) }) {
		x.due.Raise()
	}
	return after, true
}

// tellNews leaves a failure to write.
func (x *Engine) tellNews(id string, e store.Entry) {
	for _, news := range e.News {
		if !e.Forget && (len(news.Changes) > 0 || e.Record.Problem.Kind == "") {
			x.Logger.Info("publication changed", "publication", id, "title", e.Record.Title, "change", publication.Tell(news))
		}
	}
}

func (x *Engine) retries(id string, now time.Time) {
	x.locked(func() {
		if _, known := x.retrying[id]; !known {
			x.retrying[id] = now
		}
	})
}

// stopped puts a cancelled look behind what is due now, so that one that hangs is not the first in the next
// run. A withdrawal keeps its rank.
func (x *Engine) stopped(ctx context.Context, st publication.Step) {
	if st.Removed() {
		return
	}
	now := store.At(time.Now())
	x.change(ctx, st.Before().ID, func(e *store.Entry) bool {
		if e.Mark != nil {
			e.Mark.At = max(e.Mark.At, now)
		}
		return e.Mark != nil
	})
}

// What a run counts, beside store.WhatCreated and store.WhatUpdated.
const withdrawn, unchanged = "withdrawn", "unchanged"

// count gives a publication one outcome in a run: unchanged only if it has no other.
func (x *Engine) count(st publication.Step, after store.Entry) {
	told := func(what string) bool {
		return slices.ContainsFunc(after.News, func(e store.Event) bool { return strings.HasPrefix(e.What, what) })
	}
	outcome, id := "", after.Record.ID
	switch {
	case told(withdrawn):
		outcome = withdrawn
	case told(store.WhatCreated):
		outcome = store.WhatCreated
	case told(store.WhatUpdated), told(store.WhatOffSale):
		outcome = store.WhatUpdated
	case st.Unchanged(), st.Do == publication.Publish && after.Record.Problem.Kind == "":
		outcome = unchanged
	default:
		return
	}
	if n := x.Metrics.outcomes[outcome]; n != nil {
		n.Inc()
	}
	x.locked(func() {
		if was := x.outcomes[id]; was == "" || was == unchanged || outcome == withdrawn {
			x.outcomes[id] = outcome
		}
	})
}
