package connector

import (
	"context"
	"sync/atomic"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/metrics"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/connector/secrets"
)

// A Connector reconciles a marketplace's import list with a shop. It wires the loops, starts and
// drains them; each loop has its own dependencies.
type Connector struct {
	*executor

	o        Options
	metrics  *metrics.Metrics
	secrets  *secrets.Keeper
	webhooks webhookSide
	app      *install.Handler          // nil: pubsync is not installed as a public app
	pace     atomic.Pointer[desk.Pace] // nil: little is due

	turn    chan struct{}                   // holds a token while a single run is made
	running atomic.Pointer[context.Context] // the worker's context: requests that wait end with it
}

// A webhookSide keeps the webhook registered, receives deliveries, and counts those it refuses.
type webhookSide struct {
	registration *registration.Keeper
	receiver     *listener.Webhooks
	refusals     *listener.Refusals
}

// runCtx ends when the worker stops accepting.
func (c *Connector) runCtx() context.Context {
	if ctx := c.running.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}
