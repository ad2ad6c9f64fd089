package run

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/store"
)

const progressEvery = time.Second

// TellProgress calls tell every second with how far the run has come, until ctx ends.
func (r *Run) TellProgress(ctx context.Context, tell func(desk.Progress)) {
	Watch(ctx, progressEvery, r.Store, r.Worker, func(p desk.Progress) {
		p.Listed = r.listed.Entries()
		tell(p)
	})
}

// Watch calls tell again and again with how many publications a worker has done since Watch was
// called, how many are due, and the rate, until ctx ends.
func Watch(ctx context.Context, every time.Duration, s store.Store, w interface{ Did() worker.Counts },
	tell func(desk.Progress),
) {
	var m meter
	for begun := total(w.Did()); ; {
		breaker.Sleep(ctx, every)
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		backlog, err := s.Backlog(ctx, store.At(now))
		if err != nil {
			continue // whoever works meets it
		}
		p := desk.Progress{Done: total(w.Did()) - begun, Due: backlog.Due}
		p.PerMinute, p.Left = m.rate(now, p.Done, p.Due)
		tell(p)
	}
}

// total is the publications that were created, updated, withdrawn or found unchanged.
func total(c worker.Counts) int64 { return c.Created + c.Updated + c.Withdrawn + c.Unchanged }

// meterSpan is the time over which a rate is measured, and meterLeast the time before there is one.
const (
	meterSpan  = time.Minute
	meterLeast = 5 * time.Second
)

// A meter measures how many publications are done in a time.
type meter struct{ seen []reading }

type reading struct {
	at   time.Time
	done int64
}

// rate records that so many were done and so many are due. It returns how many were done a minute
// over the last minute, and how long the due ones take at that rate; both are 0 if not known.
func (m *meter) rate(now time.Time, done int64, due int) (perMinute float64, left time.Duration) {
	m.seen = append(m.seen, reading{now, done})
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
