package connector

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

// A run is one single run, from its beginning to its summary.
type run struct {
	c        *Connector
	full     bool
	patience patience
	did      worker.Counts // the counters as they were when it began
	reported int64
	spent    marketplace.Stats // and what the marketplace had charged
	listed   *sweep.Listed
	swept    error // how the last try of a sweep ended by itself
}

func (c *Connector) newRun(o desk.RunOptions) *run {
	return &run{
		c: c, full: o.Full, patience: patience{from: time.Now(), span: o.Patience}, did: c.worker.Did(), reported: c.reporter.Reported(), spent: c.o.Marketplace.Stats(), listed: sweep.NewListed(),
	}
}

// make makes the run. All that is pending is due at once, and every pause ends but a Retry-After: a
// person has asked for the run.
func (r *run) make(ctx context.Context) (desk.Summary, error) {
	c := r.c
	defer c.waiters.Join()()
	c.health.Progressed(r.patience.from)
	c.shop.breaker.Release()
	c.market.breaker.Release()
	c.secrets.Reread(ctx)
	if r.full {
		c.o.Marketplace.Afresh(ctx)
	}
	asking, cancel := context.WithTimeout(ctx, checkInRunTimeout)
	c.shop.prober.CheckPause(asking)
	cancel()
	if err := c.wake(ctx, r.patience.from); err != nil {
		c.health.StoreFailed(err)
	}
	if c.counts(ctx)[store.StateBlocked] > 0 && r.checkShop(ctx) == nil {
		c.shop.prober.Unblock(ctx)
	}
	c.shop.review.Run(ctx)
	c.shop.prober.Ask(ctx)

	err := r.work(ctx)
	c.forget(ctx)
	ending := context.WithoutCancel(ctx) // a run that is stopped ends with a summary too
	if err == nil {
		err = errors.Join(r.unread(), r.unreported(ending), c.health.Unwritten())
	}
	if err == nil {
		err = r.unusable(ctx)
	}
	s := r.summary(ending)
	s.Exit = r.exitCode(ctx, err, s)
	if err != nil {
		s.Error = err.Error()
	} else if s.Exit == desk.ExitShop {
		s.Error = "shop: " + cmp.Or(c.shop.breaker.Status(time.Now()).Asked(time.Now()), c.shop.breaker.Status(time.Now()).Reason)
	}
	return s, err
}

// work lists, works off what is due, and reports.
func (r *run) work(ctx context.Context) error {
	r.c.shop.overdue.Find(ctx) // for those who run from cron, and whose shop refuses everything
	err := r.sweep(ctx, r.full)
	r.c.worker.LetRules()
	if err != nil {
		return err
	}
	if err := r.resync(ctx); err != nil {
		return errors.Join(err, r.workOff(ctx)) // a list that cannot be enumerated keeps nothing else from being done
	}
	if r.full { // else looks have it read: a run without any stays cheap
		r.c.market.directory.Refresh(ctx)
	}
	if r.full && !r.c.shop.breaker.Status(time.Now()).Open {
		listing, cancel := context.WithTimeout(ctx, max(r.patience.span, sweepStill))
		r.c.shop.drift.Compare(listing)
		cancel()
	}
	err = r.workOff(ctx)
	r.c.shop.overdue.Find(ctx)
	if errors.Is(err, errShopRefuses) {
		return r.workOff(ctx)
	}
	if err != nil {
		return err
	}
	return r.listEchoes(ctx)
}

// maxEchoes is how many reports a run lists the echoes of itself, so that the next run has an idle
// list: a page of them. More than that cost the next run no more than they would cost this one.
const maxEchoes = 100

// maxEchoSweeps bounds how often a run lists what its own reports moved: each time only if
// something was reported since.
const maxEchoSweeps = 5

// listEchoes lists the entries that the run's own reports moved behind the cursor, while it is
// known what moved them.
func (r *run) listEchoes(ctx context.Context) error {
	reported := int64(-1)
	for range maxEchoSweeps {
		now := r.c.reporter.Reported()
		if now == reported || now-r.reported > maxEchoes || !r.movedByReports(ctx) {
			break
		}
		reported = now
		if err := r.c.sweeper.Once(ctx, false, false, r.listed); err != nil {
			break
		}
		if err := r.workOff(ctx); err != nil {
			return err
		}
	}
	return r.workOff(ctx)
}

// movedByReports reports whether reports moved entries behind a stored cursor since it was stored.
func (r *run) movedByReports(ctx context.Context) bool {
	cursor, ok, err := r.c.o.Store.CursorOf(ctx, sweep.CursorUpdated)
	return err == nil && ok && r.c.reporter.LastAck() >= cursor.At
}

// summary is what the run did, and what stands now.
func (r *run) summary(ctx context.Context) desk.Summary {
	now, stats, standing := r.c.worker.Did(), r.c.o.Marketplace.Stats(), r.c.counts(ctx)
	backlog, err := r.c.o.Store.Backlog(ctx, 0)
	if err != nil {
		r.c.health.StoreFailed(err)
	}
	did, spent := r.did, r.spent
	return desk.Summary{
		Swept: r.listed.Entries(), Created: now.Created - did.Created, Updated: now.Updated - did.Updated, Unchanged: now.Unchanged - did.Unchanged,
		Withdrawn: now.Withdrawn - did.Withdrawn, Reported: r.c.reporter.Reported() - r.reported,
		Rejected: standing[store.StateRejected], Blocked: standing[store.StateBlocked], Held: standing[store.StateHeld],
		Pending: standing[store.StatePending], Refused: backlog.Refused, Seconds: time.Since(r.patience.from).Seconds(),
		Requests: stats.Requests - spent.Requests, Cost: stats.Cost - spent.Cost, Throttled: stats.Throttled - spent.Throttled,
	}
}
