package connector

import (
	"context"
	"sync/atomic"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/drift"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/outbox"
	"github.com/pubsync/pubsync/connector/probe"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/connector/review"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/connector/worker"
)

// A Connector reconciles a marketplace's import list with a shop. It wires the loops, starts and
// drains them; each loop has its own dependencies.
type Connector struct {
	o       Options
	health  *health.Health
	metrics *metrics
	waiters breaker.Waiters
	due     *breaker.Signal // raised when a publication may be due
	secrets *secrets.Keeper

	shop     shopSide
	market   marketSide
	webhooks webhookSide
	app      *install.Handler // nil: pubsync is not installed as a public app

	takeover *takeover.Keeper
	sweeper  *sweep.Sweeper
	worker   *worker.Worker
	reporter *outbox.Reporter

	turn    chan struct{}                   // holds a token while a single run is made
	running atomic.Pointer[context.Context] // of the worker: requests that wait end with it
}

// A shopSide is the breaker before the shop, and the loops that ask the shop about more than one
// publication.
type shopSide struct {
	breaker *breaker.Breaker
	prober  *probe.Prober
	drift   *drift.Finder
	review  *review.Review
	overdue outbox.Overdue // publications that have waited for the shop too long
}

// A marketSide is the breaker before the marketplace, and what keeps the webhook registered there.
type marketSide struct {
	breaker      *breaker.Breaker
	registration *registration.Keeper
	directory    *directory.Keeper
}

// A webhookSide receives webhooks, and bounds what they lead to.
type webhookSide struct {
	receiver *listener.Webhooks
	accounts *listener.Accounts
	refusals *listener.Refusals
	gaps     *quota.Gaps
	share    *quota.Share
}

// runCtx ends when the worker stops accepting.
func (c *Connector) runCtx() context.Context {
	if ctx := c.running.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}
