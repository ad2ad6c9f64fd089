package connector

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A sweepLog is what status tells of the sweeps.
type sweepLog struct {
	mu          sync.Mutex
	incremental sweepEntry
	full        sweepEntry
}

type sweepEntry struct {
	At     time.Time `json:"at,omitzero"`
	Listed int       `json:"listed"`
	Error  string    `json:"error,omitempty"`
}

func (l *sweepLog) note(full bool, e sweepEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if full {
		l.full = e
	} else {
		l.incremental = e
	}
}

func (l *sweepLog) get() (incremental, full sweepEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.incremental, l.full
}

// sweepQueue is the sweeps asked for and not yet begun: asking twice is asking once.
type sweepQueue struct {
	mu          sync.Mutex
	incremental bool
	full        bool
	hint        bool // an unsigned webhook named nothing known: when its budget allows
	bell        *bell
}

func (q *sweepQueue) ask(set func(*sweepQueue)) {
	q.mu.Lock()
	set(q)
	q.mu.Unlock()
	q.bell.ring()
}

// take removes the most comprehensive sweep asked for.
func (q *sweepQueue) take(hintsOpen bool) (full, hint, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.incremental:
		q.incremental = false
		q.hint = false
		return false, false, true
	case q.full:
		q.full = false
		return true, false, true
	case q.hint && hintsOpen:
		q.hint = false
		return false, true, true
	default:
		return false, false, false
	}
}

func (q *sweepQueue) hinted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.hint
}

func (c *Connector) requestSweep(full bool) {
	c.queue.ask(func(q *sweepQueue) {
		if full {
			q.full = true
		} else {
			q.incremental = true
		}
	})
}

// sweeper makes the sweeps asked for, one at a time, each until it is complete.
func (c *Connector) sweeper(ctx context.Context) {
	for ctx.Err() == nil {
		rung := c.queue.bell.listen()
		now := time.Now()
		full, hint, ok := c.queue.take(c.hints.open(now))
		if !ok {
			wait := idleWait
			if c.queue.hinted() {
				wait = c.hints.wait(now, idleWait)
			}
			sleep(ctx, rung, wait)
			continue
		}
		c.awaitMarket(ctx)
		var cost marketplace.Meter
		for attempt := 1; ctx.Err() == nil; attempt++ {
			if c.sweepOnce(marketplace.Metered(ctx, &cost), full, false, &swept{ids: map[string]struct{}{}}) == nil {
				break
			}
			sleep(ctx, c.marketGate.moved(), backoff(attempt, c.backoffMost()))
			c.awaitMarket(ctx)
			c.awaitStore(ctx)
		}
		if hint {
			c.hints.spend(cost.Points(), c.market.Budget().RestoreRate, time.Now())
		}
	}
}

// awaitMarket waits until a pause that the marketplace set is over.
func (c *Connector) awaitMarket(ctx context.Context) {
	for ctx.Err() == nil {
		moved, now := c.marketGate.moved(), time.Now()
		t := c.marketGate.look(now)
		if !t.Shut || !t.Firm {
			return
		}
		sleep(ctx, moved, t.wait(now))
	}
}

// awaitStore waits until the store can be written: a list that cannot be noted costs points for nothing.
func (c *Connector) awaitStore(ctx context.Context) {
	for ctx.Err() == nil && !c.storeWorks() {
		sleep(ctx, nil, time.Second)
	}
}

// withSweepLock runs f when no sweep is under way: sweeps and the brake's verdict on what they found never overlap.
func (c *Connector) withSweepLock(ctx context.Context, f func()) {
	select {
	case c.sweeping <- struct{}{}:
		defer func() { <-c.sweeping }()
		f()
	case <-ctx.Done():
	}
}

// list makes one sweep. A panic on the way is an error like any other.
func (c *Connector) list(ctx context.Context, full, read bool, into *swept) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "sweep", Message: c.panicked(p, "full", full)}
		}
	}()
	if full {
		return c.enumerate(ctx, marketplace.Resync, read, into)
	}
	return c.sweep(ctx, marketplace.News, into)
}

// sweepOnce makes one sweep and tells gate, log and status how it ended.
func (c *Connector) sweepOnce(ctx context.Context, full, read bool, into *swept) (err error) {
	err = context.Canceled
	c.withSweepLock(ctx, func() {
		start := time.Now()
		err = c.list(ctx, full, read, into)
		entry := sweepEntry{At: start, Listed: len(into.ids)}
		if err != nil {
			entry.Error = err.Error()
		}
		c.lastSweeps.note(full, entry)
		c.metrics.swept(full, err)
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	var e *marketplace.Error
	var account *store.AccountError
	var shop *ShopError
	switch {
	case errors.As(err, &account):
		c.end(err)
	case errors.As(err, &e):
		c.marketFailed("", err)
	case errors.As(err, &shop):
		c.lastError.set(err)
		c.log.Error("sweep ended early, trying again", "error", err)
	default:
		c.storeFailed(err)
	}
	return err
}
