package sweep

import (
	"context"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/store"
)

// cursorDone is the name under which the store keeps when the last complete enumeration began.
const cursorDone = CursorFull + ".done"

// ResyncDue reports whether the last complete enumeration is older than the interval of the
// schedule of enumerations. It is false where there is no schedule.
func (s *Sweeper) ResyncDue(ctx context.Context, now time.Time) (bool, error) {
	if s.full == nil {
		return false, nil
	}
	done, ok, err := s.store.CursorOf(ctx, cursorDone)
	return err == nil && (!ok || overdue(s.full, done.At.Time(), now)), err
}

// overdue reports whether the interval of a schedule has passed since an enumeration. The interval
// is the time between the next two times of the schedule. A run may be early by a minute, or by a
// tenth of the interval where that is less: runs of cron are never exactly an hour apart.
func overdue(schedule cron.Schedule, done, now time.Time) bool {
	first := schedule.Next(done)
	second := schedule.Next(first)
	if first.IsZero() || second.IsZero() {
		return false
	}
	interval := second.Sub(first)
	age := now.Sub(done)
	return age < 0 || age >= interval-min(maxOffset, interval/10) // age < 0: the clock was set back since
}

// recordFirst counts the first complete list as an enumeration that began at a time: the store has
// no entry that the list did not show. That is not so where listings were taken over from the shop.
func (s *Sweeper) recordFirst(ctx context.Context, begun time.Time) error {
	for _, name := range []string{cursorDone, CursorFull} { // done, or under way
		if _, ok, err := s.store.CursorOf(ctx, name); ok || err != nil {
			return err
		}
	}
	for r, err := range store.Records(ctx, s.store, store.Query{Key: store.KeyUnread()}) {
		if err != nil || r.ShopID != "" {
			return err
		}
	}
	return s.store.EndListing(ctx, store.End{Name: CursorFull, Done: store.At(begun)})
}
