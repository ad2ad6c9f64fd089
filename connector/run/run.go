package run

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/store"
)

// A Run is one single run, from its beginning to its summary.
type Run struct {
	Options

	full     bool
	patience patience
	did      worker.Counts // the counters as they were when it began
	reported int64
	spent    marketplace.Stats // and what the marketplace had charged
	listed   *sweep.Listed
	swept    error // of the last try of a sweep that was not cancelled
}

// New begins a run. All that the worker does from now on counts as the run's.
func New(parts Options, o desk.RunOptions) *Run {
	return &Run{
		Options: parts, full: o.Full, patience: patience{from: time.Now(), span: o.Patience},
		did: parts.Worker.Did(), reported: parts.Reports.Reported(), spent: parts.Market.Stats(),
		listed: sweep.NewListed(),
	}
}

// Make makes the run. A person has asked for it: all that is pending is due at once, and every
// pause but a Retry-After ends.
func (r *Run) Make(ctx context.Context) (desk.Summary, error) {
	defer r.Waiters.Join()()
	r.wake(ctx)
	err := r.work(ctx)
	r.Forgetter.Pass(ctx)
	ending := context.WithoutCancel(ctx) // a run that is stopped ends with a summary too
	if err == nil {
		err = errors.Join(r.unread(), r.unreported(ending), r.Health.Unwritten())
	}
	if err == nil {
		err = r.unusable(ctx)
	}
	s := r.summary(ending)
	s.Exit = r.exitCode(ctx, err, s)
	if err != nil && ctx.Err() != nil {
		s.Error = "interrupted; the next run goes on where it stopped"
	} else if err != nil {
		s.Error = err.Error()
	} else if s.Exit == desk.ExitShop {
		shop, now := r.ShopSide.Status(time.Now()), time.Now()
		s.Error = "shop: " + cmp.Or(shop.Asked(now), shop.Reason, "its check failed; `pubsync doctor` says why")
	}
	return s, err
}

func (r *Run) wake(ctx context.Context) {
	r.Health.Progressed(r.patience.from)
	r.ShopSide.Release()
	r.MarketSide.Release()
	r.Keys.Reread(ctx)
	bounded := func(ask func(context.Context)) {
		ctx, cancel := context.WithTimeout(ctx, checkInRunTimeout)
		defer cancel()
		ask(ctx)
	}
	bounded(r.Shop.CheckPause)
	if err := r.Backlog.Wake(ctx, r.patience.from); err != nil {
		r.Health.StoreFailed(err)
	}
	if r.counts(ctx)[store.StateBlocked] > 0 && r.checkShop(ctx) == nil {
		r.Shop.Unblock(ctx)
	}
	bounded(r.Shop.Ask)
}

func (r *Run) work(ctx context.Context) error {
	r.Overdue.Find(ctx) // a run from cron may end early, where the shop refuses everything
	err := r.sweep(ctx, r.full)
	r.Worker.LetRules()
	if err != nil {
		return err
	}
	if err := r.resync(ctx); err != nil {
		// all else is done, even where the list cannot be enumerated
		return errors.Join(err, r.workOff(ctx))
	}
	if r.full { // in other runs only looks read it: a run without a look stays cheap
		r.Directory.Refresh(ctx)
	}
	if r.full && !r.ShopSide.Status(time.Now()).Open {
		r.compare(ctx)
	}
	err = r.workOff(ctx)
	r.Overdue.Find(ctx)
	if errors.Is(err, errShopRefuses) {
		return r.workOff(ctx)
	}
	if err != nil {
		return err
	}
	return r.listEchoes(ctx)
}

// compare compares what stands in the shop with the store: by each full run, by others once a day.
func (r *Run) compare(ctx context.Context) {
	r.Drift.Compare(ctx, r.full, max(r.patience.span, sweepStill))
}

// MaxEchoes is how many echoes of its reports a run lists itself, one page, so that the next run
// finds an idle list. More would cost this run as much as the next.
const MaxEchoes = 100

// maxEchoSweeps bounds how often a run lists what its own reports moved: each time only if
// something was reported since.
const maxEchoSweeps = 5

// listEchoes lists the entries that the run's own reports moved behind the cursor. Now it is known
// that only reports moved them.
func (r *Run) listEchoes(ctx context.Context) error {
	reported := int64(-1)
	for range maxEchoSweeps {
		now := r.Reports.Reported()
		if now == reported || now-r.reported > MaxEchoes || !r.movedByReports(ctx) {
			break
		}
		reported = now
		if err := r.Sweeper.Once(ctx, false, false, r.listed); err != nil {
			break
		}
		if err := r.workOff(ctx); err != nil {
			return err
		}
	}
	return r.workOff(ctx)
}

// movedByReports reports whether reports moved entries behind a stored cursor since it was stored.
func (r *Run) movedByReports(ctx context.Context) bool {
	cursor, ok, err := r.Store.CursorOf(ctx, sweep.CursorUpdated)
	return err == nil && ok && r.Reports.LastAck() >= cursor.At
}

// counts is the number of publications in each state, none where the store cannot be read.
func (r *Run) counts(ctx context.Context) map[store.State]int {
	counts, err := r.Store.Counts(ctx)
	if err != nil {
		r.Health.StoreFailed(err)
	}
	return counts
}

func (r *Run) summary(ctx context.Context) desk.Summary {
	now, stats, standing := r.Worker.Did(), r.Market.Stats(), r.counts(ctx)
	backlog, err := r.Store.Backlog(ctx, 0)
	if err != nil {
		r.Health.StoreFailed(err)
	}
	did, spent := r.did, r.spent
	return desk.Summary{
		Swept: r.listed.Entries(), Reported: r.Reports.Reported() - r.reported,
		Created: now.Created - did.Created, Updated: now.Updated - did.Updated,
		Unchanged: now.Unchanged - did.Unchanged, Withdrawn: now.Withdrawn - did.Withdrawn,
		Rejected: standing[store.StateRejected], Blocked: standing[store.StateBlocked],
		Held: standing[store.StateHeld], Pending: standing[store.StatePending], Refused: backlog.Refused,
		Untranslated: r.untranslated(ctx, standing[store.StatePending]),
		Requests:     stats.Requests - spent.Requests, Cost: stats.Cost - spent.Cost,
		Throttled: stats.Throttled - spent.Throttled, Seconds: time.Since(r.patience.from).Seconds(),
	}
}

// mostUntranslated bounds the records that are looked through for one summary.
const mostUntranslated = 10_000

// untranslated counts the pending publications that wait for a title in a language that is asked
// for, and for nothing else.
func (r *Run) untranslated(ctx context.Context, pending int) (n int) {
	if pending > mostUntranslated {
		return 0 // an import that was cut off
	}
	for rec, err := range store.Records(ctx, r.Store, store.Query{Key: store.KeyState(store.StatePending)}) {
		if err != nil {
			r.Health.StoreFailed(err)
			break
		}
		if rec.UntitledSince != 0 {
			n++
		}
	}
	return n
}
