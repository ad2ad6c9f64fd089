package outbox

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A refusal is why the marketplace refused one report.
type refusal struct {
	sent store.Report
	why  string
	err  error
}

// acknowledge is the acknowledgement of a report by the marketplace's reply. See
// [publication.Acknowledge].
func acknowledge(sent store.Report, reply marketplace.Result, look *marketplace.Entry) store.Ack {
	now := time.Now()
	return store.Ack{Report: sent, Apply: func(owed *store.Report, s *store.Settlement) bool {
		publication.Acknowledge(s, owed, sent, reply, look, now)
		return true
	}}
}

// vanished drops the report of a publication that is gone.
func vanished(sent store.Report) store.Ack {
	now := time.Now()
	return store.Ack{Report: sent, Apply: func(owed *store.Report, s *store.Settlement) bool {
		publication.Vanished(s, owed, now)
		return true
	}}
}

// write makes acknowledgements durable. accepted is how many of them are of accepted reports.
func (r *Reporter) write(ctx context.Context, acks []store.Ack, accepted int) error {
	if len(acks) == 0 {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // the answer counts, even when the process is stopping
	if err := store.Acknowledge(ctx, r.store, acks...); err != nil {
		r.health.StoreFailed(err)
		for _, a := range acks {
			r.putOff(a.Report)
		}
		return err
	}
	r.reported.Add(int64(accepted))
	now := time.Now()
	ids := make([]string, len(acks))
	r.mu.Lock()
	r.lastAck = store.At(now)
	for i, a := range acks {
		delete(r.attempts, a.Report.ID)
		ids[i] = a.Report.ID
	}
	r.mu.Unlock()
	r.marketAnswered(now, ids...)
	r.due.Raise()
	return nil
}

// refuse makes durable that the marketplace refused reports, each with its reason. They stay owed.
func (r *Reporter) refuse(ctx context.Context, refused map[string]refusal) error {
	if len(refused) == 0 {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	now := time.Now()
	news := map[string]bool{}
	_, err := store.Update(ctx, r.store, func(owed *store.Report, s *store.Settlement) bool {
		f := refused[s.Record.ID]
		news[s.Record.ID] = s.Record.ReportError != f.why
		return publication.RefuseReport(s, owed, f.sent, f.why, now)
	}, slices.Sorted(maps.Keys(refused))...)
	if err != nil {
		r.health.StoreFailed(err)
		for _, f := range refused {
			r.putOff(f.sent)
		}
		return err
	}
	r.mu.Lock()
	for id := range refused {
		delete(r.attempts, id)
	}
	r.mu.Unlock()
	for id, f := range refused {
		if news[id] && !marketplace.IsDenied(f.err) { // a denial is logged once for all
			r.log.Warn(
				"marketplace refused a report, trying on",
				"publication", id, "status", f.sent.Status, "error", f.why,
			)
		}
	}
	r.marketAnswered(now)
	return nil
}
