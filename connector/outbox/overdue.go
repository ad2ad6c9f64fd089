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
	Store    store.Store
	Shop     *breaker.Breaker // before the shop
	Health   *health.Health
	Settings *publication.Settings
	Owed     func() // is called when reports are owed
}

// Run finds such publications until ctx ends.
func (o Overdue) Run(ctx context.Context) {
	every := min(max(o.Settings.FailAfter/4, time.Second), time.Minute)
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
	shut := ""
	if shop := o.Shop.Status(now); !shop.Since.IsZero() {
		shut = shop.Reason
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
		longAgo := store.Query{Key: store.KeyState(state), To: store.At(now.Add(-o.Settings.FailAfter))}
		for r, err := range store.Records(ctx, o.Store, longAgo) {
			if err != nil {
				return err
			}
			if o.Settings.Overdue(&store.Entry{Record: r, Known: true}, shut, now) {
				overdue = append(overdue, r.ID)
			}
		}
	}
	if len(overdue) == 0 {
		return nil
	}
	report := func(e *store.Entry) bool { return e.Known && o.Settings.Overdue(e, shut, now) }
	if _, err = o.Store.Change(ctx, overdue, report); err != nil {
		return err
	}
	o.Owed()
	return nil
}
