package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// dropApplied finds, among reports that were attempted before, those that the marketplace holds already, and acknowledges them.
func (r *reporter) dropApplied(ctx context.Context, owed []store.Report) (left []store.Report, err error) {
	var doubtful []string
	r.mu.Lock()
	for _, o := range owed {
		if r.tries[o.ID].attempts > 0 || o.Since.Time().Before(r.c.started) {
			doubtful = append(doubtful, o.ID)
		}
	}
	r.mu.Unlock()
	if len(doubtful) == 0 {
		return owed, nil
	}
	looks, err := r.c.market.Look(ctx, marketplace.Urgent, doubtful, true)
	if err != nil {
		return owed, err
	}
	var acks []store.Ack
	for _, o := range owed {
		e := looks[o.ID]
		if e != nil && e.Err == nil && e.Status == o.Status && (o.Status != statusSuccess || e.ProductURL == o.URL) {
			acks = append(acks, r.acknowledge(o, marketplace.Result{ID: o.ID, Status: e.Status, UpdatedAt: e.UpdatedAt}, nil))
			continue
		}
		left = append(left, o)
	}
	return left, r.write(acks, len(acks))
}

// write makes acknowledgements durable, of which told are of reports that were taken.
func (r *reporter) write(acks []store.Ack, told int) error {
	if len(acks) == 0 {
		return nil
	}
	if err := r.c.store.Acknowledge(acks...); err != nil {
		r.c.storeFailed(err)
		for _, a := range acks {
			r.putOff([]store.Report{a.Report})
		}
		return err
	}
	r.c.tally.reported.Add(int64(told))
	now := time.Now()
	r.mu.Lock()
	r.last = store.At(now)
	for _, a := range acks {
		delete(r.tries, a.Report.ID)
	}
	r.mu.Unlock()
	r.c.marketSucceeded()
	r.c.progress.note(now)
	r.c.bell.ring()
	return nil
}

// acknowledge takes the marketplace's reply in. look is the light look that preceded the report, nil where the reply is itself a look at a report
// that had been applied.
func (r *reporter) acknowledge(o store.Report, res marketplace.Result, look *marketplace.Entry) store.Ack {
	now := time.Now()
	return store.Ack{Report: o, Apply: func(owed *store.Report, s *store.Settlement) bool {
		rec := &s.Record
		rec.Reported, rec.ReportedURL, rec.ReportedAt = o.Status, o.URL, store.At(now)
		rec.Refused, rec.ReportError = "", ""
		rec.History = appendHistory(rec.History, "reported "+o.Status, now)
		if look != nil && look.UpdatedAt == rec.UpdatedAt && res.UpdatedAt != "" {
			rec.UpdatedAt = res.UpdatedAt // the echo of our own report
		} else if res.UpdatedAt != rec.UpdatedAt {
			s.Next = seen(*rec, res.UpdatedAt, now, now)
		}
		owe(s, owed, now)
		return true
	}}
}

// refused notes that the marketplace does not take this report: it is not sent again until there is something else to say.
func (r *reporter) refused(o store.Report, err error) store.Ack {
	r.c.log.Warn("marketplace refused a report", "publication", o.ID, "status", o.Status, "error", err)
	now := time.Now()
	return store.Ack{Report: o, Apply: func(_ *store.Report, s *store.Settlement) bool {
		s.Record.Refused, s.Record.ReportError = o.Status+" "+o.URL, err.Error()
		s.Record.ReportedAt = store.At(now)
		s.Record.History = appendHistory(s.Record.History, "report refused: "+err.Error(), now)
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)} // it may be gone
		return true
	}}
}

// vanished drops the report of a publication that is gone, and has that looked at.
func (r *reporter) vanished(o store.Report) store.Ack {
	return store.Ack{Report: o, Apply: func(_ *store.Report, s *store.Settlement) bool {
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(time.Now())}
		return true
	}}
}
