// Package registration keeps the worker's webhook registered with the marketplace.
package registration

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// checkEvery is how often the registration is checked where no resync is scheduled more often.
const checkEvery = time.Hour

// Status is the result of the last check, as status shows it.
type Status struct {
	URL     string    `json:"url,omitempty"`
	Active  bool      `json:"active"`
	ID      string    `json:"id,omitempty"`
	Checked time.Time `json:"checkedAt,omitzero"`
	Error   string    `json:"error,omitempty"`

	Superfluous []string `json:"superfluous,omitempty"` // ids of further active registrations of the address for the same events
}

// Options are what a Keeper is made from. All are required.
type Options struct {
	URL        string // the address to register; empty: none is
	Market     *marketplace.Client
	Store      Memory
	Breaker    *breaker.Breaker // before the marketplace
	Waiters    *breaker.Waiters
	Health     *health.Health
	Log        *slog.Logger
	Renewed    *breaker.Signal  // raised when the marketplace's token is new
	NextResync func() time.Time // when the schedule asks for the next resync; zero: never
	AskSweep   func()           // asks for a sweep, which finds what happened while there was no registration
}

// A Keeper keeps the webhook registered: it checks at start and after every resync, and registers again when the registration is gone.
type Keeper struct {
	o   Options
	own own

	mu     sync.Mutex
	status Status
}

// New makes a Keeper.
func New(o Options) *Keeper {
	return &Keeper{o: o, own: own{memory: o.Store, address: o.URL}}
}

// Status is the result of the last check.
func (k *Keeper) Status() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status
}

func (k *Keeper) set(s Status) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status = s
}

// Run checks the registration until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	if k.o.URL == "" {
		return
	}
	for attempt := 0; ctx.Err() == nil; {
		renewed := k.o.Renewed.Raised()
		k.o.Breaker.AwaitRetryAfter(ctx)
		made, err := k.check(ctx)
		if err != nil && ctx.Err() == nil {
			attempt++
			k.failed(err, attempt == 1)
			breaker.Sleep(ctx, max(breaker.MinPause, breaker.Backoff(attempt, k.o.Waiters.MaxBackoff())), renewed)
			continue
		}
		attempt = 0
		if made {
			k.o.AskSweep()
		}
		wait := checkEvery
		if next := k.o.NextResync(); !next.IsZero() {
			wait = min(wait, time.Until(next))
		}
		breaker.Sleep(ctx, max(wait, time.Second), renewed)
	}
}

func (k *Keeper) failed(err error, first bool) {
	k.set(Status{URL: k.o.URL, Checked: time.Now(), Error: err.Error()})
	k.o.Breaker.Judge("", breaker.OfMarketplace(err))
	if first {
		k.o.Log.Error("webhook cannot be registered, trying on", "url", k.o.URL, "error", err)
	}
	k.o.Health.Note(err)
}

// check registers the webhook unless the marketplace has it active.
func (k *Keeper) check(ctx context.Context) (made bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			made, err = false, &marketplace.Error{Op: "register webhook", Message: k.o.Health.Recovered(p)}
		}
	}()
	own, err := k.own.get()
	if err != nil {
		k.o.Health.StoreFailed(err)
	}
	found, h, err := registerAs(ctx, k.o.Market, k.o.URL, own, webhookEvents())
	if err != nil {
		return false, err
	}
	now := Status{URL: k.o.URL, Active: true, Checked: time.Now()}
	if h != nil {
		k.o.Log.Info("webhook registered", "url", k.o.URL, "webhook", h.ID, "events", h.Events)
		if err := k.own.set(*h); err != nil {
			k.o.Health.StoreFailed(err)
		}
		if !h.Active {
			return false, switchedOff(h.ID)
		}
		now.ID = h.ID
	} else {
		now.ID = found.Kept[0].ID
	}
	for _, s := range found.Superfluous {
		now.Superfluous = append(now.Superfluous, s.ID)
	}
	if before := k.Status(); len(now.Superfluous) > 0 && !slices.Equal(before.Superfluous, now.Superfluous) {
		k.o.Log.Warn("webhook is registered more than once, remove what is superfluous in the marketplace's admin", "webhooks", now.Superfluous)
	}
	k.set(now)
	return h != nil, nil
}
