package look

import (
	"context"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A settler settles looks, and counts for the process what they did. What a look has done is kept
// even when its caller is being stopped: no write ends with a context.
type settler struct {
	store    store.Store
	shop     *breaker.Breaker // before the shop
	health   *health.Health
	log      *slog.Logger
	failed   func(kind shopadapter.Kind)
	reports  Reports
	removals Removals
	due      *breaker.Signal
	observer Observer

	teller   teller
	counter  counter
	retrying Retries
	late     lateness
}

// settle ends a look with a decision.
func (s *settler) settle(ctx context.Context, m store.Mark, d publication.Decision, now time.Time) {
	s.counter.did(m.ID, d)
	if s.observer != nil {
		s.observer.Settled(d)
	}
	if e := d.Failure; e != nil {
		s.failed(e.Kind)
		if !e.ShopWide { // else the shop's breaker has said it once
			s.log.Warn("publication not settled", "publication", m.ID, "kind", e.Kind.String(), "error", e.Error())
		}
	}
	if d.Lacks != "" {
		if d.Before().Problem.Kind != store.ProblemWaiting {
			s.log.Warn("publication waits for the marketplace", "publication", m.ID, "reason", d.Lacks)
		}
		s.health.FailedAt(health.Marketplace, m.ID, d.Lacks)
	}
	s.write(ctx, m, d.Before(), d.Settlement(now), now)
	if d.FoundRemoval() {
		s.removals.FoundRemoval()
	}
}

// write makes a settlement durable. before is the record as the look read it.
func (s *settler) write(ctx context.Context, m store.Mark, before store.Record, end store.Settlement, now time.Time) {
	after, err := s.store.Settle(context.WithoutCancel(ctx), end)
	if err != nil {
		s.health.StoreFailed(err)
		return
	}
	if end.Record.Problem.Kind == store.ProblemTransient && !end.Forget {
		s.retrying.add(m.ID, now)
	} else {
		s.retrying.forget(m.ID)
		s.late.settled(end.Next, now)
		s.health.Progressed(now)
	}
	if !end.Forget {
		after.ID = m.ID
		s.teller.tell(before, after, now)
	}
	s.reports.Notify()
	s.unblock(ctx, after, now)
}

// unblock makes a publication due again that failed because the shop refused everything, where the
// shop's check has passed meanwhile: that check came before the record of the failure.
func (s *settler) unblock(ctx context.Context, r store.Record, now time.Time) {
	if !r.Problem.Wide || s.shop.Status(now).Refused {
		return
	}
	if m := publication.Unblocks(r, now); m != nil {
		s.mark(ctx, *m)
		s.due.Raise()
	}
}

// mark makes a publication due.
func (s *settler) mark(ctx context.Context, m store.Mark) {
	if err := s.store.Mark(context.WithoutCancel(ctx), m); err != nil {
		s.health.StoreFailed(err)
	}
}

// putOff has a look made later, for a further cause.
func (s *settler) putOff(ctx context.Context, m store.Mark, at time.Time, cause store.Cause) {
	d := store.Rescheduling{ID: m.ID, Gen: m.Gen, At: store.At(at), Cause: cause}
	if err := s.store.Reschedule(context.WithoutCancel(ctx), d); err != nil {
		s.health.StoreFailed(err)
	}
}

// retryAt has a look tried again that met a transient error.
func (s *settler) retryAt(ctx context.Context, m store.Mark, at time.Time) {
	s.putOff(ctx, m, at, store.CauseRetry)
	s.retrying.add(m.ID, time.Now())
}

// stop puts the mark of a look that was cancelled behind what is due now: one that hangs is not the
// first in the next run again. A cancelled look is no failure. A withdrawal keeps its rank.
func (s *settler) stop(ctx context.Context, m store.Mark, d publication.Decision, took time.Duration) {
	if d.Step == publication.Unpublish {
		return
	}
	now := time.Now()
	s.putOff(ctx, m, now, 0)
	if took <= call.Least || d.Before().Problem.Kind != "" { // its history tells of it already
		return
	}
	if _, err := store.Update(context.WithoutCancel(ctx), s.store, func(_ *store.Report, end *store.Settlement) bool {
		publication.Stopped(end, took, now)
		return true
	}, m.ID); err != nil {
		s.health.StoreFailed(err)
	}
}
