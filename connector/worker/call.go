package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// MinCall is what a call may take in a run however short its patience is.
const MinCall = 15 * time.Second

// reviewTimeout bounds one review: as a rule it takes no request.
const reviewTimeout = time.Minute

// shopTimeout bounds one call of the adapter: a product with a hundred variants and images on slow
// hosting takes minutes.
const shopTimeout = 10 * time.Minute

// callShop makes one call of the adapter in one of the places that PUBSYNC_SHOP_CONCURRENCY allows,
// and tells the breaker how it ended.
func (w *Worker) callShop(ctx context.Context, id string, call func(context.Context) error) error {
	select {
	case w.places <- struct{}{}:
		defer func() { <-w.places }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if t := w.shopBreaker.Status(time.Now()); t.Open && t.Firm {
		return &pausedError{t.Until} // it said when to come back, to another call, while this one was made ready
	}
	limited, cancel := context.WithTimeout(ctx, shopTimeout)
	defer cancel()
	start := time.Now()
	end := w.calls.begin(id, start)
	err := w.health.Guard(func() error { return call(limited) }, "publication", id)
	end(ctx.Err() == nil && err != nil && shopadapter.Explain(err).Kind == shopadapter.Transient)
	w.metrics.ShopCalled(time.Since(start), err)
	if ctx.Err() == nil || err == nil {
		w.JudgeShop(id, err)
	}
	return err
}

// JudgeShop tells the shop's breaker how a call ended: whether the shop as a whole is in trouble,
// or one product.
func (w *Worker) JudgeShop(id string, err error) {
	if w.shopBreaker.Judge(id, breaker.OfShop(err)) {
		w.health.Note(err)
	}
}

// Places is how many calls of the adapter may be under way.
func (w *Worker) Places() int { return cap(w.places) }

// calls is the calls of the adapter that are under way, by publication.
type calls struct {
	mu     sync.Mutex
	begun  map[string]time.Time
	failed time.Time // when the first of those began that have failed in a row; zero: the last one came to something
}

// begin notes a call. end is told whether it failed for what time may mend.
func (c *calls) begin(id string, now time.Time) (end func(failed bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun == nil {
		c.begun = map[string]time.Time{}
	}
	c.begun[id] = now
	return func(failed bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.begun, id)
		switch {
		case !failed:
			c.failed = time.Time{}
		case c.failed.IsZero():
			c.failed = now
		}
	}
}

// Failing is since when no call of the adapter has come to anything for what time may mend, zero
// where the last one has.
func (w *Worker) Failing() time.Time {
	w.calls.mu.Lock()
	defer w.calls.mu.Unlock()
	return w.calls.failed
}

// Hung is the calls that have been under way for longer than a run bears; end is until when it
// bears one that began at a time.
func (w *Worker) Hung(end func(begun time.Time) time.Time, now time.Time) map[string]bool {
	c := &w.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	hung := map[string]bool{}
	for id, begun := range c.begun {
		if now.After(end(begun)) {
			hung[id] = true
		}
	}
	return hung
}

// fit refuses a listing that cannot be kept: one of whose parts is too long, or whose id or address
// shows a secret of ours. The shop is to be mended.
func (w *Worker) fit(l shopadapter.Listing) error {
	shown := []string{string(l.ID), l.URL}
	for _, id := range l.Variants {
		shown = append(shown, id)
	}
	if why := publication.OverlongListing(l); why != "" {
		return shopadapter.Block("the shop answers with %s", why)
	}
	if slices.ContainsFunc(shown, func(s string) bool { return w.health.Redact(s) != s }) {
		return shopadapter.Block(
			"the shop's id or address for this product shows one of the secrets that it was sent: it is not kept, " +
				"since it would be told to others",
		)
	}
	return nil
}

// marketFailed is one failed call to the marketplace. Nothing is held against a publication for it.
func (w *Worker) marketFailed(id string, err error) {
	if w.marketBreaker.Judge(id, breaker.OfMarketplace(err)) {
		w.health.Note(err)
	}
}
