package connector

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
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
		c.awaitMarket(ctx)
		made, err := c.register(ctx)
		if err != nil && ctx.Err() == nil {
			attempt++
			c.registered.set(Registration{URL: c.webhook.URL, Checked: time.Now(), Error: err.Error()})
			c.marketFailed("", err)
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
	defer func() {
		if p := recover(); p != nil {
			made, err = false, &marketplace.Error{Op: "register webhook", Message: c.panicked(p)}
		}
	}()
	h, made, err := Register(ctx, c.market, c.webhook.URL)
	if err != nil {
		return false, err
	}
	if made {
		c.log.Info("webhook registered", "url", c.webhook.URL, "webhook", h.ID)
	}
	c.registered.set(Registration{URL: c.webhook.URL, Active: true, ID: h.ID, Checked: time.Now()})
	return made, nil
}

// Register registers url for PUBLICATION_CREATED unless the marketplace has it active.
func Register(ctx context.Context, market *marketplace.Client, url string) (h marketplace.Webhook, made bool, err error) {
	active, err := Registered(ctx, market, url)
	if err != nil {
		return h, false, err
	}
	if active != nil {
		return *active, false, nil
	}
	h, err = market.RegisterWebhook(ctx, url, []string{eventPublicationCreated})
	return h, err == nil, err
}

// Registered is the active registration of url for PUBLICATION_CREATED, nil when there is none.
func Registered(ctx context.Context, market *marketplace.Client, url string) (*marketplace.Webhook, error) {
	hooks, err := market.Webhooks(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range hooks {
		if h.CallbackURL == url && h.Active && slices.ContainsFunc(h.Events, isCreated) {
			return &h, nil
		}
	}
	return nil, nil //nolint:nilnil // no registration is what is looked for
}

func isCreated(event string) bool { return strings.EqualFold(event, eventPublicationCreated) }
