package connector

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The exit codes of a run.
const (
	ExitOK          = 0
	ExitStanding    = 1 // some publication stands rejected, blocked, held or pending
	ExitUsage       = 2 // wrong usage or configuration
	ExitMarketplace = 3 // cannot be reached, refuses the token, or the sweep could not be completed
	ExitShop        = 4 // cannot be reached, or refuses the credentials
	ExitStore       = 5 // cannot be opened
)

// OnceOptions is what a single run is asked to do.
type OnceOptions struct {
	Full     bool          // enumerate the whole list, find removals, read every entry's content again
	Patience time.Duration // for which transient errors are retried

	started  time.Time
	reported int64 // by the connector when the run began
}

// A Summary is what a single run did, and what stands at its end.
type Summary struct {
	Swept     int     `json:"swept"`
	Created   int64   `json:"created"`
	Updated   int64   `json:"updated"`
	Unchanged int64   `json:"unchanged"`
	Withdrawn int64   `json:"withdrawn"`
	Rejected  int     `json:"rejected"`
	Blocked   int     `json:"blocked"`
	Held      int     `json:"held"`
	Pending   int     `json:"pending"`
	Reported  int64   `json:"reported"`
	Seconds   float64 `json:"seconds"`
	Requests  int64   `json:"requests"`
	Cost      float64 `json:"cost"`
	Throttled int64   `json:"throttled"`
	Exit      int     `json:"exit"`
	Error     string  `json:"error"`
}

// errShopRefuses ends a run at once: what the shop refuses as a whole no patience mends.
var errShopRefuses = errors.New("shop refuses everything")

// errPatience ends a run whose sweep could not be completed.
var errPatience = errors.New("patience is exhausted")

// tailEchoes is how many reports a run lists the echoes of itself, so that the next one has an idle list: a page of them. More than that cost the
// next run no more than they would cost this one.
const tailEchoes = 100

// tailSweeps bounds how often a run lists what its own reports moved: each time only if something was reported since.
const tailSweeps = 5

// Once makes a single run beside nothing else: it starts the workers, runs, and drains them.
func (c *Connector) Once(ctx context.Context, o OnceOptions) (Summary, error) {
	if err := c.restore(); err != nil {
		return Summary{Exit: ExitStore, Error: err.Error()}, err
	}
	begun := c.begin() // before the workers, which find work at once
	stop := c.start(ctx)
	defer stop()
	return c.runFrom(ctx, o, begun)
}

// A beginning is the counters as they were when a run began.
type beginning struct {
	at    time.Time
	did   counts
	spent marketplace.Stats
}

func (c *Connector) begin() beginning {
	return beginning{at: time.Now(), did: c.tally.now(), spent: c.market.Stats()}
}

// RunOnce makes a single run within a connector that is running: a sweep, all that is due, the reports. Runs asked for at the same time follow one
// another.
func (c *Connector) RunOnce(ctx context.Context, o OnceOptions) (Summary, error) {
	select {
	case c.onceMu <- struct{}{}:
		defer func() { <-c.onceMu }()
	case <-ctx.Done():
		return Summary{Exit: ExitStanding, Error: ctx.Err().Error()}, ctx.Err()
	}
	return c.runFrom(ctx, o, c.begin())
}

func (c *Connector) runFrom(ctx context.Context, o OnceOptions, begun beginning) (Summary, error) {
	c.waited.Add(1)
	defer c.waited.Add(-1)
	o.started, o.reported = begun.at, begun.did.reported
	c.progress.note(begun.at)
	c.shopGate.release()
	c.marketGate.release()
	if err := c.wake(begun.at); err != nil {
		c.storeFailed(err)
	}
	c.releaseBlocked(ctx)

	into := &swept{ids: map[string]struct{}{}}
	err := c.runOnce(ctx, o, into)
	if err == nil {
		err = errors.Join(c.unread(), c.unreported(), c.unwritten())
	}
	s := c.summarize(into, begun)
	s.Exit = c.exitCode(ctx, err, s)
	if err != nil {
		s.Error = err.Error()
	} else if s.Exit == ExitShop {
		s.Error = "shop: " + c.shopGate.look(time.Now()).Reason
	}
	return s, err
}

func (c *Connector) runOnce(ctx context.Context, o OnceOptions, into *swept) error {
	c.reportOverdue() // for those who run from cron, and whose shop refuses everything
	if err := c.sweepPatiently(ctx, o, into); err != nil {
		return err
	}
	err := c.workOff(ctx, o)
	c.reportOverdue()
	if errors.Is(err, errShopRefuses) {
		return c.workOff(ctx, o)
	}
	if err != nil {
		return err
	}
	reported := int64(-1)
	for range tailSweeps {
		now := c.tally.reported.Load()
		if now == reported || now-o.reported > tailEchoes || !c.movedByReports() {
			break
		}
		reported = now
		// What was just reported lies behind the cursor now. Listing it here, while it is known what moved it, leaves the next run an idle list.
		if err := c.sweepOnce(ctx, false, false, into); err != nil {
			break
		}
		if err := c.workOff(ctx, o); err != nil {
			return err
		}
	}
	return c.workOff(ctx, o)
}

// unread is the error of a run in which some content could not be read to the end.
func (c *Connector) unread() error {
	n := c.misread.len()
	if n == 0 {
		return nil
	}
	message, _ := c.lastError.get()
	return &marketplace.Error{Op: fmt.Sprintf("the content of %d publications could not be read", n), Message: message}
}

// unreported is the error of a run that leaves reports owed.
func (c *Connector) unreported() error {
	owed, err := c.store.OutboxLen()
	if err != nil || owed == 0 {
		return err
	}
	e := &marketplace.Error{Op: fmt.Sprintf("%d reports are owed still", owed), Message: "the marketplace did not take them"}
	if trouble := c.reporter.trouble(); trouble != nil {
		e.Message, e.Err = trouble.Error(), trouble
	}
	return e
}

// movedByReports reports whether reports moved entries behind a stored cursor since it was stored.
func (c *Connector) movedByReports() bool {
	cursor, ok, err := c.store.CursorOf(cursorUpdated)
	return err == nil && ok && c.reporter.lastAck() >= cursor.At
}

// sweepPatiently makes the sweep, trying again while patience lasts. A refused token ends it at once.
func (c *Connector) sweepPatiently(ctx context.Context, o OnceOptions, into *swept) error {
	for attempt := 1; ; attempt++ {
		err := c.sweepWatched(ctx, o, into)
		if err == nil {
			return nil
		}
		var e *marketplace.Error
		var shop *ShopError
		var path *fs.PathError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &shop) && shopadapter.Explain(err).Kind != shopadapter.Blocked:
		case errors.As(err, &path), errors.Is(err, syscall.ENOSPC): // somebody may make room
		case !errors.As(err, &e), e.Kind == marketplace.Unauthorized, e.Kind == marketplace.Invalid:
			return err
		}
		left := o.Patience - time.Since(later(c.progress.last(), o.started))
		wait := min(max(backoff(attempt, backoffOnce), gateLeast), left)
		if e != nil {
			wait = max(wait, e.RetryAfter)
		}
		if t := c.marketGate.look(time.Now()); t.Shut && t.Firm {
			wait = max(wait, time.Until(t.Until))
		}
		if left <= 0 || wait > left {
			return fmt.Errorf("%w: %w", errPatience, err)
		}
		sleep(ctx, nil, wait)
	}
}

// sweepStill is the least time for which a sweep may stand still, waiting for points or behind another: longer than one answer may take.
const sweepStill = 45 * time.Second

// sweepWatched makes the sweep, and gives up when for longer than the patience no page arrives.
func (c *Connector) sweepWatched(ctx context.Context, o OnceOptions, into *swept) error {
	watched, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	go func() {
		for watched.Err() == nil {
			if time.Since(later(c.progress.last(), begun)) > max(o.Patience, sweepStill) {
				cancel()
			}
			sleep(watched, nil, time.Second)
		}
	}()
	err := c.sweepOnce(watched, o.Full, o.Full, into)
	if err != nil && watched.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: the sweep stands still", errPatience)
	}
	return err
}

// releaseBlocked has tried again what the shop as a whole refused before, if its check passes now.
func (c *Connector) releaseBlocked(ctx context.Context) {
	if c.store.Counts()[string(StateBlocked)] > 0 && c.checkShop(ctx) == nil {
		c.unblock()
	}
}

func (c *Connector) summarize(into *swept, begun beginning) Summary {
	now, stats, standing := c.tally.now(), c.market.Stats(), c.store.Counts()
	did, spent := begun.did, begun.spent
	return Summary{
		Swept: len(into.ids), Created: now.created - did.created, Updated: now.updated - did.updated, Unchanged: now.unchanged - did.unchanged,
		Withdrawn: now.withdrawn - did.withdrawn, Reported: now.reported - did.reported,
		Rejected: standing[string(StateRejected)], Blocked: standing[string(StateBlocked)], Held: standing[string(StateHeld)],
		Pending: standing[string(StatePending)], Seconds: time.Since(begun.at).Seconds(),
		Requests: stats.Requests - spent.Requests, Cost: stats.Cost - spent.Cost, Throttled: stats.Throttled - spent.Throttled,
	}
}

// exitCode is the most serious of what the run met.
func (c *Connector) exitCode(ctx context.Context, err error, s Summary) int {
	var market *marketplace.Error
	var account *store.AccountError
	var shop *ShopError
	switch {
	case errors.As(err, &account), store.Hopeless(err), errors.Is(err, store.ErrClosed):
		return ExitStore
	case errors.As(err, &market), errors.Is(err, errPatience) && !errors.As(err, &shop):
		return ExitMarketplace
	case errors.As(err, &shop), errors.Is(err, errShopRefuses), c.shopIsOut(ctx, s):
		return ExitShop
	case s.Rejected+s.Blocked+s.Held+s.Pending > 0:
		return ExitStanding
	case err != nil:
		return ExitStanding
	default:
		return ExitOK
	}
}

// shopIsOut reports whether what is left undone is left because the shop cannot be used.
func (c *Connector) shopIsOut(ctx context.Context, s Summary) bool {
	t := c.shopGate.look(time.Now())
	if ctx.Err() != nil || s.Pending+s.Blocked == 0 || t.Since.IsZero() && c.retrying.len() == 0 {
		return false
	}
	if _, ok := c.shop.(shopadapter.Checker); !ok {
		return !t.Since.IsZero()
	}
	return c.checkShop(ctx) != nil
}
