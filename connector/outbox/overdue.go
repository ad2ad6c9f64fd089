package outbox

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Overdue makes the report `failed` owed for publications that are not on sale and have met only
// errors of the shop for FailAfter. While the shop refuses everything, that includes publications
// that were never tried.
type Overdue struct {
	Store     store.Store
	Shop      *breaker.Breaker // before the shop
	Health    *health.Health
	FailAfter time.Duration
	Owed      func() // is called when reports are owed
}

// Run finds such publications until ctx ends.
func (o Overdue) Run(ctx context.Context) {
	every := min(max(o.FailAfter/4, time.Second), time.Minute)
	for ctx.Err() == nil {
		breaker.Sleep(ctx, every)
		o.Find(ctx)
	}
}

// Find finds them once.
func (o Overdue) Find(ctx context.Context) {
	if err := o.find(ctx, time.Now()); err != nil {
		o.Health.StoreFailed(err)
	}
}

// waiting are the states of a publication that is not on sale and waits for the shop.
func waiting() []store.State { return []store.State{store.StateBlocked, store.StatePending} }

func (o Overdue) find(ctx context.Context, now time.Time) error {
	outage, err := o.outage(ctx, now)
	if err != nil {
		return err
	}
	counts, err := o.Store.Counts(ctx)
	if err != nil {
		return err
	}
	var overdue []string
	for _, state := range waiting() {
		if counts[state] == 0 {
			continue
		}
		longAgo := store.Query{Key: store.KeyState(state), To: store.At(now.Add(-o.FailAfter))}
		for r, err := range store.Records(ctx, o.Store, longAgo) {
			if err != nil {
				return err
			}
			if outage.Overdue(r, o.FailAfter, now) {
				overdue = append(overdue, r.ID)
			}
		}
	}
	if len(overdue) == 0 {
		return nil
	}
	report := func(owed *store.Report, s *store.Settlement) bool { return outage.Apply(s, owed, now) }
	if _, err = store.Update(ctx, o.Store, report, overdue...); err != nil {
		return err
	}
	o.Owed()
	return nil
}

// outage is since when the shop as a whole cannot be used. Where that is longer than this process
// runs, records say so.
func (o Overdue) outage(ctx context.Context, now time.Time) (publication.Outage, error) {
	shop := o.Shop.Status(now)
	outage := publication.Outage{Since: shop.Since, Reason: shop.Reason}
	if shop.Since.IsZero() {
		return outage, nil
	}
	earlier := store.Query{Key: store.KeyShopWide(), To: store.At(outage.Since)}
	for r, err := range store.Records(ctx, o.Store, earlier) {
		if err != nil {
			return outage, err
		}
		if r.State != store.StateRejected { // which waits for the supplier
			outage.Since = r.Problem.Since.Time()
			break
		}
	}
	return outage, nil
}
