package connector

import (
	"context"
	"errors"
	"fmt"
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

	started time.Time
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
		return Summary{}, ctx.Err()
	}
	return c.runFrom(ctx, o, c.begin())
}

func (c *Connector) runFrom(ctx context.Context, o OnceOptions, begun beginning) (Summary, error) {
	c.waited.Add(1)
	defer c.waited.Add(-1)
	o.started = begun.at
	c.progress.note(begun.at)
	c.shopGate.release()
	c.marketGate.release()
	if err := c.wake(begun.at); err != nil {
		return Summary{Exit: ExitStore, Error: err.Error()}, err
	}
	c.releaseBlocked(ctx)

	into := &swept{ids: map[string]struct{}{}}
	err := c.runOnce(ctx, o, into)
	if err == nil {
		err = c.unreported()
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
	if err := c.sweepPatiently(ctx, o, into); err != nil {
		return err
	}
	if err := c.workOff(ctx, o); err != nil {
		return err
	}
	c.reportOverdue()
	reported := int64(-1)
	for range tailSweeps {
		now := c.tally.reported.Load()
		if now == reported || !c.movedByReports() {
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
		err := c.sweepOnce(ctx, o.Full, o.Full, into)
		if err == nil {
			return nil
		}
		var e *marketplace.Error
		var shop *ShopError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &shop) && shopadapter.Explain(err).Kind != shopadapter.Blocked:
		case !errors.As(err, &e), e.Kind == marketplace.Unauthorized, e.Kind == marketplace.Invalid:
			return err
		}
		wait := max(backoff(attempt, backoffOnce), gateLeast)
		if e != nil {
			wait = max(wait, e.RetryAfter)
		}
		if time.Since(c.progress.last())+wait > o.Patience {
			return fmt.Errorf("%w: %w", errPatience, err)
		}
		sleep(ctx, nil, wait)
	}
}

// workOff waits until nothing is due, nothing is owed and nothing waits for another try, or until patience ends without progress.
func (c *Connector) workOff(ctx context.Context, o OnceOptions) error {
	for {
		idle, acked, shop, market := c.engine.idle.listen(), c.reporter.acked.listen(), c.shopGate.moved(), c.marketGate.moved()
		now := time.Now()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		shopNow, marketNow := c.shopGate.look(now), c.marketGate.look(now)
		if c.engine.busy() == 0 { // what was under way when a side refused has settled
			switch {
			case shopNow.Shut && shopNow.Refused:
				return fmt.Errorf("%w: %s", errShopRefuses, shopNow.Reason)
			case marketNow.Refused:
				return &marketplace.Error{Kind: marketplace.Unauthorized, Message: marketNow.Reason}
			}
		}
		settled, err := c.settled(now, now.Sub(o.started) < o.Patience)
		if err != nil {
			return err
		}
		if settled {
			if !c.removals.waiting.Load() {
				return nil
			}
			c.withSweepLock(ctx, func() { err = c.judgeRemovals() })
			if err != nil {
				return err
			}
			continue
		}
		left := o.Patience - now.Sub(c.progress.last())
		for _, t := range []trouble{shopNow, marketNow} {
			if t.Shut && t.Firm && t.Until.Sub(now) > left {
				left = 0
			}
		}
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(min(left, time.Second))
		select {
		case <-ctx.Done():
		case <-idle:
		case <-acked:
		case <-shop:
		case <-market:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// settled reports whether there is nothing left that could be done now or after a transient error. Refreshes count only while there is patience: on a long
// list they take days, and a run from cron must not.
func (c *Connector) settled(now time.Time, refreshes bool) (bool, error) {
	if c.retrying.len() > 0 {
		return false, nil
	}
	allowed := c.allowed(laneAny, now)
	_, due, err := c.store.Due(now, func(class store.Class) bool {
		return allowed(class) && (refreshes || class != store.ClassRefresh)
	}, func(string) bool { return false })
	if err != nil || due {
		return false, err
	}
	if c.engine.busyWith(func(class store.Class) bool { return refreshes || class != store.ClassRefresh }) {
		return false, nil
	}
	owed, err := c.store.OutboxLen()
	return owed == 0, err
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
	case errors.As(err, &account), errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrClosed):
		return ExitStore
	case errors.As(err, &shop):
		return ExitShop
	case errors.As(err, &market), errors.Is(err, errPatience):
		return ExitMarketplace
	case errors.Is(err, errShopRefuses), c.shopIsOut(ctx, s):
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
	if s.Pending+s.Blocked == 0 || t.Since.IsZero() && c.retrying.len() == 0 {
		return false
	}
	if _, ok := c.shop.(shopadapter.Checker); !ok {
		return !t.Since.IsZero()
	}
	return c.checkShop(ctx) != nil
}
