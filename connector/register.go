package connector

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// eventPublicationCreated is the event the worker registers for.
const eventPublicationCreated = "PUBLICATION_CREATED"

// A registration is what is known of the worker's webhook at the marketplace.
type registration struct {
	mu  sync.Mutex
	now Registration
}

// Registration is what status tells of the webhook.
type Registration struct {
	URL     string    `json:"url,omitempty"`
	Active  bool      `json:"active"`
	ID      string    `json:"id,omitempty"`
	Checked time.Time `json:"checkedAt,omitzero"`
	Error   string    `json:"error,omitempty"`
}

func (r *registration) set(v Registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = v
}

func (r *registration) get() Registration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// registerEvery is how often the registration is looked at when no resync is scheduled more often.
const registerEvery = time.Hour

// keepRegistered keeps the webhook registered: it looks at start and after every resync, and registers again what is gone. What happened in the gap
// is found by a sweep.
func (c *Connector) keepRegistered(ctx context.Context) {
	if c.webhook.URL == "" {
		return
	}
	for attempt := 0; ctx.Err() == nil; {
		made, err := c.register(ctx)
		if err != nil && ctx.Err() == nil {
			attempt++
			c.registered.set(Registration{URL: c.webhook.URL, Checked: time.Now(), Error: err.Error()})
			if attempt == 1 {
				c.log.Error("webhook cannot be registered, trying on", "url", c.webhook.URL, "error", err)
			}
			c.lastError.set(err)
			sleep(ctx, nil, max(gateLeast, backoff(attempt, c.backoffMost())))
			continue
		}
		attempt = 0
		if made {
			c.requestSweep(false)
		}
		wait := registerEvery
		if c.resyncs != nil {
			if next := c.resyncs.Next(time.Now().UTC()); !next.IsZero() {
				wait = min(wait, time.Until(next))
			}
		}
		sleep(ctx, nil, max(wait, time.Second))
	}
}

// register makes the registration unless the marketplace has it active.
func (c *Connector) register(ctx context.Context) (made bool, err error) {
	hooks, err := c.market.Webhooks(ctx)
	if err != nil {
		return false, err
	}
	for _, h := range hooks {
		if h.CallbackURL == c.webhook.URL && h.Active && slices.ContainsFunc(h.Events, isCreated) {
			c.registered.set(Registration{URL: c.webhook.URL, Active: true, ID: h.ID, Checked: time.Now()})
			return false, nil
		}
	}
	h, err := c.market.RegisterWebhook(ctx, c.webhook.URL, []string{eventPublicationCreated})
	if err != nil {
		return false, err
	}
	c.log.Info("webhook registered", "url", c.webhook.URL, "webhook", h.ID)
	c.registered.set(Registration{URL: c.webhook.URL, Active: true, ID: h.ID, Checked: time.Now()})
	return true, nil
}

func isCreated(event string) bool { return strings.EqualFold(event, eventPublicationCreated) }
