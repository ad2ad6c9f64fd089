package worker

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/connector/worker/look"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/store"
)

// What the parts of a worker are asked from outside is asked here.

// MinCall is what a call may take in a run however short its patience is.
const MinCall = call.Least

// Counts is what was done since the start.
type Counts = look.Counts

// Decider says what is to be done about a publication.
type Decider = look.Decider

// Changes are the classes of what changed upstream.
const Changes = schedule.Changes

// PaidSoon is how many looks at changes may be due and be no backlog.
func PaidSoon(ctx context.Context, market *marketplace.Reader) (most int, err error) {
	return schedule.PaidSoon(ctx, market)
}

// Idle is raised whenever a look has ended.
func (w *Worker) Idle() *breaker.Signal { return w.schedule.Idle() }

// Busy is the number of publications that are being looked at.
func (w *Worker) Busy() int { return w.schedule.Busy() }

// BusyWith reports whether a publication is being looked at for which which holds.
func (w *Worker) BusyWith(which func(id string, class store.Class) bool) bool {
	return w.schedule.BusyWith(which)
}

// Classes are those that are looked at now.
func (w *Worker) Classes(now time.Time) store.ClassSet { return w.schedule.Classes(now) }

// HoldRules keeps prices by other rules from being made until [Worker.LetRules]: what the supplier
// moved beside them is to be known first, so that the brake judges both together.
func (w *Worker) HoldRules() { w.schedule.HoldRules() }

// LetRules ends HoldRules.
func (w *Worker) LetRules() { w.schedule.LetRules() }

// Await has looks at a publication repeated that find it older than updatedAt, or not at all,
// within the next minute. found is called once a look has found it.
func (w *Worker) Await(id, updatedAt string, found func()) { w.looks.Await(id, updatedAt, found) }

// Did is what was done since the start.
func (w *Worker) Did() Counts { return w.looks.Did() }

// Misread is how many publications have content that could not be read at the last try.
func (w *Worker) Misread() int { return w.looks.Misread() }

// Retrying is how many publications met a transient error and are tried again.
func (w *Worker) Retrying() int { return w.looks.Retrying().Len() }

// RetryingIDs is the ids of the publications that met a transient error and are tried again.
func (w *Worker) RetryingIDs() []string { return w.looks.Retrying().IDs() }

// Retries reports whether a publication met a transient error and is tried again.
func (w *Worker) Retries(id string) bool { return w.looks.Retrying().Has(id) }

// LastToRetry is the latest of their first errors, of the publication for which there is patience
// longest; ok is false where there is none.
func (w *Worker) LastToRetry() (at time.Time, ok bool) { return w.looks.Retrying().Last() }

// AwaitsPictures reports whether a late picture is asked for again soon.
func (w *Worker) AwaitsPictures(now time.Time) bool { return w.looks.AwaitsPictures(now) }

// Slots is how many calls of the adapter may be under way.
func (w *Worker) Slots() int { return w.calls.Slots() }

// Failing is since when each call of the adapter has met what time may mend, zero where the last one
// has not.
func (w *Worker) Failing() time.Time { return w.calls.Failing() }

// Hung are the publications whose calls are under way after their deadline in a run: deadline(begun)
// is that of a call that began then.
func (w *Worker) Hung(deadline func(begun time.Time) time.Time, now time.Time) map[string]bool {
	return w.calls.Hung(deadline, now)
}

// JudgeShop tells the shop's breaker how a call ended: whether the shop as a whole is in trouble, or
// one publication.
func (w *Worker) JudgeShop(ctx context.Context, id string, err error) { w.calls.Judge(ctx, id, err) }
