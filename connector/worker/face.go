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

// Here is what other packages ask of a worker's parts.

// MinCall is the time that a call has in a single run, however short the run's patience is.
const MinCall = call.Least

// Counts is what was done since the start.
type Counts = look.Counts

// Changes are the classes of what changed upstream.
const Changes = schedule.Changes

// PaidSoon is how many looks at changes may be due before they count as a backlog.
func PaidSoon(ctx context.Context, market *marketplace.Reader) (most int, err error) {
	return schedule.PaidSoon(ctx, market)
}

// Idle is raised whenever a look has ended.
func (w *Worker) Idle() *breaker.Signal { return w.schedule.Idle() }

// Busy is the number of publications that are being looked at.
func (w *Worker) Busy() int { return w.schedule.Busy() }

// BusyWith reports whether which holds for a publication that is being looked at.
func (w *Worker) BusyWith(which func(id string, class store.Class) bool) bool {
	return w.schedule.BusyWith(which)
}

// Classes are those that are looked at now.
func (w *Worker) Classes(now time.Time) store.ClassSet { return w.schedule.Classes(now) }

// HoldRules keeps prices by changed rules from being made until [Worker.LetRules]. The supplier's
// own changes are read first, so that the brake judges both together.
func (w *Worker) HoldRules() { w.schedule.HoldRules() }

// LetRules ends HoldRules.
func (w *Worker) LetRules() { w.schedule.LetRules() }

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

// LastToRetry is when the last of them met its first error: the patience with it ends last. ok is
// false where there is none.
func (w *Worker) LastToRetry() (at time.Time, ok bool) { return w.looks.Retrying().Last() }

// AwaitsPictures reports whether a late picture is asked for again soon.
func (w *Worker) AwaitsPictures(now time.Time) bool { return w.looks.AwaitsPictures(now) }

// Slots is how many calls of the adapter may be under way.
func (w *Worker) Slots() int { return w.calls.Slots() }

// Failing is since when every call of the adapter has failed with a transient error, zero where the
// last one has not.
func (w *Worker) Failing() time.Time { return w.calls.Failing() }

// Hung are the publications whose calls are under way past their deadline in a single run:
// deadline(begun) is that of a call that began then.
func (w *Worker) Hung(deadline func(begun time.Time) time.Time, now time.Time) map[string]bool {
	return w.calls.Hung(deadline, now)
}

// JudgeShop tells the shop's breaker how a call ended: whether the shop as a whole is in trouble,
// or one publication.
func (w *Worker) JudgeShop(ctx context.Context, id string, err error) { w.calls.Judge(ctx, id, err) }
