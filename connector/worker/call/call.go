// Package call makes the calls of the shop's adapter. A call waits for a slot and has a deadline,
// and the shop's breaker is told how it ended.
package call

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/shopadapter"
)

// Least is the time that a call has in a single run, however short the run's patience is.
const Least = 15 * time.Second

// deadline bounds one call: a product with a hundred variants and images on slow hosting takes
// minutes.
const deadline = 10 * time.Minute

// Options are what Calls are made from. Diagnosed and All may be nil, the others are required.
type Options struct {
	Breaker *breaker.Breaker // before the shop
	Health  *health.Health
	Called  func(took time.Duration, err error) // is told of each call
	Slots   int                                 // calls at a time
	All     *semaphore.Weighted                 // a slot for each call of all accounts of the process; nil: no bound
	// says in the words of the shop's check why a call failed; nil: the error says it
	Diagnosed func(context.Context, error) error
}

// Calls are the calls of the adapter.
type Calls struct {
	o     Options
	slots chan struct{} // holds a token for each call that is under way or waits for a slot of all
	turn  chan struct{} // holds a token while a call waits for a slot of all

	mu    sync.Mutex
	begun map[string]time.Time // when each call that is under way began, by publication
	// when the first of the latest failures in a row began; zero: the last call did not fail
	failed time.Time
}

// New makes Calls. None is under way.
func New(o Options) *Calls {
	return &Calls{o: o, slots: make(chan struct{}, o.Slots), turn: make(chan struct{}, 1), begun: map[string]time.Time{}}
}

// Do makes one call about a publication once a slot is free, and judges how it ended. Where the
// shop has asked for a pause meanwhile, Do makes no call and returns a [PausedError].
func (c *Calls) Do(ctx context.Context, id string, call func(context.Context) error) error {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.o.All != nil {
		if err := c.waitForAll(ctx); err != nil {
			return err
		}
		defer c.o.All.Release(1)
	}
	if t := c.o.Breaker.Status(time.Now()); t.Open && t.Firm {
		return &PausedError{t.Until}
	}
	limited, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	start := time.Now()
	c.begin(id, start)
	err := c.Diagnosed(limited, c.o.Health.Guard(func() error { return call(limited) }, "publication", id))
	c.end(id, start, ctx.Err() == nil && err != nil && shopadapter.Explain(err).Kind == shopadapter.Transient)
	c.o.Called(time.Since(start), err)
	if ctx.Err() == nil || err == nil {
		c.Judge(ctx, id, err)
	}
	return err
}

// waitForAll waits for a slot among the calls of all accounts. One call of an account waits in that
// line at a time, so accounts take turns, however many calls each has ready.
func (c *Calls) waitForAll(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.o.All.Acquire(ctx, 1)
}

// Diagnosed is an error of the adapter's in the words of the shop's check, where the shop refuses
// everything.
func (c *Calls) Diagnosed(ctx context.Context, err error) error {
	if c.o.Diagnosed == nil || ctx.Err() != nil {
		return err
	}
	return c.o.Diagnosed(ctx, err)
}

// Judge tells the breaker how a call ended: whether the shop as a whole is in trouble, or one
// publication.
func (c *Calls) Judge(ctx context.Context, id string, err error) {
	c.o.Breaker.Judge(id, breaker.OfShop(err))
}

// begin records that a call is under way.
func (c *Calls) begin(id string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun[id] = now
}

// end records that a call has ended; failed says that it met a transient error.
func (c *Calls) end(id string, begun time.Time, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.begun, id)
	switch {
	case !failed:
		c.failed = time.Time{}
	case c.failed.IsZero():
		c.failed = begun
	}
}

// Slots is how many calls may be under way.
func (c *Calls) Slots() int { return cap(c.slots) }

// Failing is since when every call has met a transient error, zero where the last one has not.
func (c *Calls) Failing() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// Hung are the publications whose calls are under way past their deadline in a single run:
// deadline(begun) is that of a call that began then.
func (c *Calls) Hung(deadline func(begun time.Time) time.Time, now time.Time) map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	hung := map[string]bool{}
	for id, begun := range c.begun {
		if now.After(deadline(begun)) {
			hung[id] = true
		}
	}
	return hung
}

// A PausedError says that a call was not made, since the shop asked for a pause.
type PausedError struct{ Until time.Time }

func (e *PausedError) Error() string {
	return "the shop asked for a pause until " + e.Until.Format(time.RFC3339)
}
