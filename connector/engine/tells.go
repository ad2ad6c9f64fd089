package engine

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// Here is what a desk asks of an engine that works.

// Tell adds to a status what only the engine knows.
func (x *Engine) Tell(_ context.Context, s *desk.Status) {
	now := time.Now()
	warning := s.Shop.Warning
	x.tellSides(s)
	s.Shop.Name, s.Shop.Warning, s.Version = x.ShopName, warning, x.Version
	s.Started, s.Budget, s.Pace = x.Health.Started(), x.Market.Budget(), x.pace.Load()
	s.Sweeps.Next, s.Sweeps.NextFull = moment(x.Next(false)), moment(x.Next(true))
	if at := moment(x.nextTry(x.ShopSide.Status(now))); at != nil {
		s.Shop.Until = at
	}
	if trouble := x.Health.StoreError(); trouble != nil {
		s.Store.Error = trouble.Error()
	}
}

// tellSides tells of the two sides, the last sweeps and the last error.
func (x *Engine) tellSides(s *desk.Status) {
	now := time.Now()
	s.Sweeps.Incremental, s.Sweeps.Full = x.lastSweeps()
	s.Shop, s.Marketplace = sideOf(x.ShopSide.Status(now)), sideOf(x.MarketSide.Status(now))
	s.LastError = desk.LastErrorOf(x.Health.Last())
}

func sideOf(b breaker.Status) desk.Side {
	s := desk.Side{Paused: b.Paused}
	if b.Paused {
		s.Reason, s.Since = b.Reason, &b.Since
	}
	if b.Open {
		s.Until = moment(b.Until)
	}
	return s
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Ready is why webhooks cannot be stored, nil where they can. The shop and the marketplace do not matter.
func (x *Engine) Ready(ctx context.Context) error {
	err := x.Health.StoreError()
	if err == nil || x.Health.StoreWorks(ctx) {
		err = store.Writable(ctx, x.Store)
	}
	if err != nil && store.Hopeless(err) {
		x.Health.StoreFailed(err)
	}
	return err
}

// Wake has the worker look at once at what is due and what is owed.
func (x *Engine) Wake() {
	x.due.Raise()
	x.owed.Raise()
}

// TryShop ends each pause that the shop did not ask for. In a pause that it asked for, the shop is checked.
func (x *Engine) TryShop(ctx context.Context) (waits string) {
	x.ShopSide.Release()
	x.owed.Raise()
	x.checkPause(ctx)
	now := time.Now()
	if waits = x.ShopSide.Status(now).Asked(now); waits != "" {
		waits = x.Health.Line(waits)
	}
	x.due.Raise()
	return waits
}

// SweepNow queues a sweep that a person asks for. Everything pending is due at once, and each pause ends that
// the other side did not ask for.
func (x *Engine) SweepNow(ctx context.Context, full bool) {
	x.ShopSide.Release()
	x.MarketSide.Release()
	x.rereadSecrets(ctx)
	if err := x.wake(ctx, time.Now()); err != nil {
		x.Health.StoreFailed(err)
	}
	x.AskFor(full)
}

const (
	progressEvery = time.Second      // between two tellings of how far a run has come
	paceEvery     = 5 * time.Second  // between two looks at a worker's progress
	paceLog       = 30 * time.Second // between two records of it
	manyDue       = 50               // fewer publications than these are done before anybody asks
)

// tellProgress keeps for status how far the worker has come with many publications, an import say, and reports
// whether it has logged it, where that is asked for.
func (x *Engine) tellProgress(p desk.Progress, log bool) (logged bool) {
	if p.Due < manyDue || p.Left == 0 {
		x.pace.Store(nil)
		return false
	}
	x.pace.Store(&desk.Pace{PerMinute: p.PerMinute, LeftSeconds: p.Left.Seconds()})
	if log {
		x.Logger.Info("work under way", "done", p.Done, "due", p.Due, "per_minute", int(p.PerMinute+.5), "left",
			desk.Span(p.Left))
	}
	return log
}

// watchProgress calls tell again and again with how many publications were done since it was called, how
// many are due, and the rate, until ctx ends.
func (x *Engine) watchProgress(ctx context.Context, every time.Duration, tell func(desk.Progress)) {
	var m meter
	backlog, seen := store.Backlog{}, int64(-1)
	for begun := x.done().total(); ; {
		breaker.Sleep(ctx, every)
		if ctx.Err() != nil {
			return
		}
		now, done := time.Now(), x.done().total()
		if backlog.Due > 0 || done != seen {
			var err error
			if backlog, err = x.Store.Backlog(ctx, store.At(now)); err != nil {
				continue // whoever works meets it
			}
			seen = done
		}
		p := desk.Progress{Done: done - begun, Due: backlog.Due}
		p.PerMinute, p.Left = m.rate(now, p.Done, p.Due)
		tell(p)
	}
}

// meterSpan is the time over which a rate is measured, and meterLeast the time before there is one.
const (
	meterSpan  = time.Minute
	meterLeast = 5 * time.Second
)

// A meter measures how many publications are done in a time.
type meter struct {
	seen []struct {
		at   time.Time
		done int64
	}
}

// rate records that so many were done and so many are due. It returns how many were done a minute over the
// last minute, and how long the due ones take at that rate; both are 0 if not known.
func (m *meter) rate(now time.Time, done int64, due int) (perMinute float64, left time.Duration) {
	m.seen = append(m.seen, struct {
		at   time.Time
		done int64
	}{now, done})
	for len(m.seen) > 1 && now.Sub(m.seen[1].at) >= meterSpan {
		m.seen = m.seen[1:]
	}
	first := m.seen[0]
	span := now.Sub(first.at)
	if span < meterLeast || done <= first.done {
		return 0, 0
	}
	perMinute = float64(done-first.done) / span.Minutes()
	return perMinute, time.Duration(float64(due) / perMinute * float64(time.Minute))
}
