package outbox

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// batchSize is how many reports are made together, before the store acknowledges them.
const batchSize = 20

// refusedShare is the share of the restore rate that repeatedly refused reports may cost.
const refusedShare = 0.1

// An attempt is the attempts at a report that brought no answer.
type attempt struct {
	seq   uint64 // of the report: a later report was not attempted yet
	count int
	at    time.Time // of the next
	since time.Time // of the first

	objected time.Time // since when the marketplace has objected to each; zero: it has not
}

// attemptsAt is the attempts at a report that brought no answer. The caller holds mu.
func (r *Reporter) attemptsAt(o store.Report) attempt {
	if a := r.attempts[o.ID]; a.seq == o.Seq {
		return a
	}
	return attempt{}
}

// putOff has reports made again later.
func (r *Reporter) putOff(reports ...store.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range reports {
		a := r.attemptsAt(o)
		if a.count == 0 {
			a.seq, a.since = o.Seq, time.Now()
		}
		a.count++
		a.at = time.Now().Add(breaker.Backoff(a.count, r.waiters.MaxBackoff()))
		r.attempts[o.ID] = a
	}
}

// retry has the reports made now whose last attempt brought no answer.
func (r *Reporter) retry() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, a := range r.attempts {
		a.at = time.Time{}
		r.attempts[id] = a
	}
}

// nextBatch is the next reports to make, either of those that were refused before or of the others.
// Where there is none, next is when the first may be made.
func (r *Reporter) nextBatch(
	ctx context.Context, now time.Time, refused bool,
) (owed []store.Report, next time.Time, err error) {
	only := store.OwedFresh
	if refused {
		only = store.OwedRefused
	}
	for o, err := range store.Reports(ctx, r.store, only) {
		if err != nil {
			return nil, next, err
		}
		at := r.at(o, now)
		if at.After(now) {
			if next.IsZero() || at.Before(next) {
				next = at
			}
			continue
		}
		if owed = append(owed, o); len(owed) == batchSize {
			break
		}
	}
	return owed, next, nil
}

// at is when a report may be made.
func (r *Reporter) at(o store.Report, now time.Time) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.attemptsAt(o).at
	if o.Refusals == 0 {
		return at
	}
	for _, later := range []time.Time{r.spared, publication.RemadeAt(o, r.woken, now)} {
		if later.After(at) {
			at = later
		}
	}
	return at
}

// spare puts off refused reports until their share of the restore rate has paid for a batch that
// was refused again. An accepted batch puts off nothing: once the marketplace accepts reports
// again, thousands are made at full speed.
func (r *Reporter) spare(points float64, now time.Time) {
	rate := r.market.Budget().RestoreRate
	if rate <= 0 || r.waiters.Any() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spared = now.Add(min(time.Duration(points/(rate*refusedShare)*float64(time.Second)), publication.RefusalMost))
}

// Patient reports whether a report is owed that may still be made within the patience of a run: one
// that has not been attempted without an answer for that long. A report that was refused since the
// run began does not count: it had its answer.
func (r *Reporter) Patient(ctx context.Context, from, now time.Time, patience time.Duration) (bool, error) {
	r.mu.Lock()
	busy := len(r.underWay) > 0
	r.mu.Unlock()
	if busy {
		return true, nil
	}
	for o, err := range store.Reports(ctx, r.store, store.AllOwed) {
		if err != nil {
			return false, err
		}
		if o.RefusedAt < store.At(from) && !r.outOfPatience(o, from, now, patience) {
			return true, nil
		}
	}
	return false, nil
}

// outOfPatience reports whether attempts at a report have brought no answer for longer than the
// patience of a run.
func (r *Reporter) outOfPatience(o store.Report, from, now time.Time, patience time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.attemptsAt(o)
	since := a.since
	if from.After(since) {
		since = from
	}
	return a.count > 0 && now.Sub(since) > patience
}
