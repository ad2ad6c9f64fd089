package connector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// marketFailed is one failed call to the marketplace. Nothing is held against a publication for it.
func (c *Connector) marketFailed(id string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	now := time.Now()
	reason := err.Error()
	var e *marketplace.Error
	var news bool
	switch {
	case errors.As(err, &e) && e.Kind == marketplace.Unauthorized:
		news = c.marketGate.refuse(reason, now, 0, true)
	case e != nil && (e.Kind == marketplace.Throttled || e.Kind == marketplace.Refused):
		return // the pacer waits for the one, the other concerns one publication
	case e != nil && e.RetryAfter > 0:
		news = c.marketGate.refuse(reason, now, e.RetryAfter, false)
	default:
		news = c.marketGate.failed(id, reason, now)
	}
	if t := c.marketGate.look(now); t.Firm {
		c.keepPause(pauseOfMarket, t)
	}
	c.lastError.set(err)
	if news {
		c.log.Error("marketplace cannot be used, pausing until it can", "error", reason)
	}
}

func (c *Connector) marketSucceeded() {
	if c.marketGate.succeeded(time.Now()) {
		c.log.Info("marketplace is back")
	}
}

// storeFailed is one failed call of the store. A disk may get room again; a file that is damaged or gone gets no better, and ends the worker.
func (c *Connector) storeFailed(err error) {
	c.lastError.set(err)
	news := c.storeTrouble.note(err)
	switch {
	case store.Hopeless(err):
		c.end(err)
	case news:
		c.log.Error("store cannot be written, trying on", "error", err)
	}
}

// storeWorks reports whether the store can be written, and tries where it could not be. What waited for another try may have waited for the store.
func (c *Connector) storeWorks() bool {
	switch {
	case c.storeTrouble.trouble() == nil:
		return true
	case c.store.HasRoom() != nil:
		return false
	case !c.storeTrouble.clear(): // somebody else has seen to it
		return true
	}
	c.log.Info("store can be written again")
	if err := c.wake(time.Now()); err != nil {
		c.storeFailed(err)
	}
	return true
}

// unwritten is the error of a run that could not write the store to its end.
func (c *Connector) unwritten() error {
	if err := c.storeTrouble.trouble(); err != nil {
		return fmt.Errorf("store cannot be written: %w", err)
	}
	return nil
}

// end ends the worker with an error that no time mends.
func (c *Connector) end(err error) {
	select {
	case c.fatal <- err:
	default:
	}
}
