package connector

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
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

func (c *Connector) storeFailed(err error) {
	c.lastError.set(err)
	if c.storeTrouble.note(err) {
		c.log.Error("store cannot be written, trying on", "error", err)
	}
}
