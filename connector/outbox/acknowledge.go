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

// An ack is the marketplace's answer to one report, or what a look says in its place.
type ack struct {
	sent  store.Report
	apply func(e *store.Entry, now time.Time)
}

// acknowledge is the acknowledgement of a report by the marketplace's reply; look is the light look
// before it, nil where the reply is one itself.
func acknowledge(sent store.Report, reply marketplace.Result, look *marketplace.Entry) ack {
	return ack{sent, func(e *store.Entry, now time.Time) {
		if look != nil {
			publication.Looked(e, look, now)
		}
		publication.Acknowledged(e, sent, reply.UpdatedAt, look, now)
	}}
}

// vanished drops the report of a publication that is gone.
func vanished(sent store.Report) ack {
	return ack{sent, func(e *store.Entry, now time.Time) {
		if e.Owed != nil && e.Owed.Seq == sent.Seq {
			e.Owed = nil
		}
		publication.Looked(e, nil, now)
	}}
}

// write makes acknowledgements durable. accepted is how many of them are of accepted reports.
func (r *Reporter) write(ctx context.Context, acks []ack, accepted int) error {
	if len(acks) == 0 {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // the answer counts, even when the process is stopping
	at, of, named := time.Now(), map[string]ack{}, make([]string, len(acks))
	for i, a := range acks {
		of[a.sent.ID], named[i] = a, a.sent.ID
	}
	if _, err := r.store.Change(ctx, named, func(e *store.Entry) bool {
		if e.Known {
			of[e.Record.ID].apply(e, at)
		} else {
			e.Owed = nil
		}
		return true
	}); err != nil {
		r.health.StoreFailed(err)
		for _, a := range acks {
			r.putOff(a.sent)
		}
		return err
	}
	r.reported.Add(int64(accepted))
	now := time.Now()
	ids := make([]string, len(acks))
	r.mu.Lock()
	r.lastAck = store.At(now)
	for i, a := range acks {
		delete(r.attempts, a.sent.ID)
		ids[i] = a.sent.ID
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
	_, err := r.store.Change(ctx, slices.Sorted(maps.Keys(refused)), func(e *store.Entry) bool {
		f := refused[e.Record.ID]
		news[e.Record.ID] = e.Owed == nil || e.Owed.Refused != f.why
		return publication.Refused(e, f.sent, f.why, now)
	})
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
