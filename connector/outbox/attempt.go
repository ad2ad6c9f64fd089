package outbox

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// attempt makes one batch of reports, and returns how many were refused. After a panic each report
// of the batch is made again at a time of its own.
func (r *Reporter) attempt(ctx context.Context, owed []store.Report) (refused int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "report", Message: r.health.Recovered(p, "reports", len(owed))}
			r.setFailed(err)
			r.putOff(owed...)
		}
	}()
	return r.send(ctx, owed)
}

// send makes one batch of reports, and returns how many were refused.
func (r *Reporter) send(ctx context.Context, owed []store.Report) (int, error) {
	owed, err := r.dropApplied(ctx, owed)
	if err != nil {
		r.setFailed(err)
		r.putOff(owed...)
		return 0, err
	}
	if len(owed) == 0 {
		return 0, nil
	}
	byID := make(map[string]store.Report, len(owed))
	reports := make([]marketplace.Report, len(owed))
	for i, o := range owed {
		byID[o.ID] = o
		reports[i] = marketplace.Report{ID: o.ID, Status: string(o.Status), URL: o.URL}
	}
	looked := make(map[string]*marketplace.Entry, len(owed))
	results, err := r.lookAndReport(ctx, reports, looked)
	var acks []ack
	refused, vanish, denied := map[string]refusal{}, false, false
	accepted, failed := 0, err
	for _, res := range results {
		o := byID[res.ID]
		delete(byID, res.ID)
		switch {
		case res.Err == nil:
			accepted++
			acks = append(acks, acknowledge(o, res, looked[res.ID]))
		case marketplace.KindOf(res.Err) == marketplace.Refused:
			refused[o.ID] = refusal{o, res.Err.Error(), res.Err}
			vanish, denied = vanish || marketplace.IsAbsent(res.Err), denied || marketplace.IsDenied(res.Err)
		case r.objectedFor(o, res.Err) >= ownAfter: // it is the publication's own
			refused[o.ID] = refusal{o, res.Err.Error(), res.Err}
			r.health.FailedAt(health.Marketplace, o.ID, res.Err.Error())
		default:
			r.putOff(o)
			failed = res.Err
			if marketplace.KindOf(res.Err) == marketplace.Invalid {
				r.marketFailed(ctx, o.ID, res.Err)
			}
		}
	}
	if denied { // unless the token as a whole has become bad since the look
		if _, err := r.market.Look(ctx, marketplace.Urgent, slices.Sorted(maps.Keys(refused))[:1], false); err != nil {
			r.setFailed(err)
			r.putOff(owed...)
			return 0, errors.Join(err, r.write(ctx, acks, accepted))
		}
	}
	if vanish {
		for _, o := range r.gone(ctx, refused) {
			acks = append(acks, vanished(o))
		}
	}
	for id, o := range byID { // not sent
		switch entry, answered := looked[id]; {
		case answered && entry == nil:
			acks = append(acks, vanished(o))
		case answered && r.objectedFor(o, entry.Err) >= ownAfter:
			refused[id] = refusal{o, entry.Err.Error(), entry.Err}
		default:
			r.putOff(o)
		}
	}
	r.setFailed(failed)
	r.deny(denied, accepted > 0)
	return len(refused), errors.Join(err, r.write(ctx, acks, accepted), r.refuse(ctx, refused))
}

// ownAfter is how long the marketplace must object to a report, or to the look before it, before that
// counts as a refusal of it.
const ownAfter = 10 * time.Second

// objectedFor is how long the marketplace has objected to every request with a report, zero where
// it has not.
func (r *Reporter) objectedFor(o store.Report, err error) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.attemptsAt(o)
	switch {
	case !marketplace.IsObjection(err):
		a.objected = time.Time{}
	case a.objected.IsZero() && o.Refusals == 0:
		a.objected = time.Now()
	case o.Refusals > 0:
		return ownAfter
	default:
		return time.Since(a.objected)
	}
	a.seq = o.Seq
	r.attempts[o.ID] = a
	return 0
}

// lookAndReport looks at the publications of a batch, and makes the reports of those that the
// marketplace could show.
func (r *Reporter) lookAndReport(
	ctx context.Context, reports []marketplace.Report, looked map[string]*marketplace.Entry,
) ([]marketplace.Result, error) {
	shown := func(report marketplace.Report, look *marketplace.Entry) bool {
		looked[report.ID] = look
		return look != nil && look.Err == nil
	}
	return r.market.LookAndReport(ctx, marketplace.Urgent, reports, shown)
}

// gone removes and returns the refused reports whose publication a look shows to be gone.
func (r *Reporter) gone(ctx context.Context, refused map[string]refusal) (gone []store.Report) {
	if len(refused) == 0 {
		return nil
	}
	ids := make([]string, 0, len(refused))
	for id := range refused {
		ids = append(ids, id)
	}
	looks, err := r.market.Look(ctx, marketplace.Urgent, ids, false)
	if err != nil {
		return nil
	}
	for id, e := range looks {
		if e == nil {
			gone = append(gone, refused[id].sent)
			delete(refused, id)
		}
	}
	return gone
}

// dropApplied acknowledges the reports that an earlier attempt has made, though its answer was
// lost. It returns the others.
func (r *Reporter) dropApplied(ctx context.Context, owed []store.Report) (left []store.Report, err error) {
	var attempted []string
	r.mu.Lock()
	for _, o := range owed {
		if r.attemptsAt(o).count > 0 || o.Refusals > 0 || o.Since.Time().Before(r.started) {
			attempted = append(attempted, o.ID)
		}
	}
	r.mu.Unlock()
	if len(attempted) == 0 {
		return owed, nil
	}
	looks, err := r.market.Look(ctx, marketplace.Urgent, attempted, true)
	if err != nil {
		return owed, err
	}
	var acks []ack
	for _, o := range owed {
		e := looks[o.ID]
		if e != nil && e.Err == nil && store.Status(e.Status) == o.Status &&
			(o.Status != store.StatusSuccess || e.ProductURL == o.URL) {
			reply := marketplace.Result{ID: o.ID, Status: e.Status, UpdatedAt: e.UpdatedAt}
			acks = append(acks, acknowledge(o, reply, nil))
			continue
		}
		left = append(left, o)
	}
	return left, r.write(ctx, acks, len(acks))
}

// setFailed records why the last batch could not be made; nil: it could.
func (r *Reporter) setFailed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = err
}
