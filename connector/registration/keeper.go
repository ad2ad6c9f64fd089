// Package registration keeps the worker's webhook registered with the marketplace. Only events are
// registered that no active registration of the address has, however the marketplace spells either.
package registration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

const (
	checkEvery = time.Hour      // where no resync is scheduled more often
	askAgain   = 24 * time.Hour // for an event that the marketplace did not know
)

// Status is how the webhook is registered.
type Status struct {
	URL     string    `json:"url,omitempty"`
	Active  bool      `json:"active"`
	ID      string    `json:"id,omitempty"`
	Checked time.Time `json:"checkedAt,omitzero"`
	Error   string    `json:"error,omitempty"`

	Events []string `json:"events,omitempty"` // the wanted ones that are registered
	// the wanted ones that the marketplace does not know
	Unknown []string `json:"unknownEvents,omitempty"`
	// ids of further active registrations of the address for the same events
	Superfluous []string `json:"superfluous,omitempty"`
}

// Options are what a Keeper is made from. All are required.
type Options struct {
	URL        string   // the address to register; empty: none is
	Events     []string // what to register it for
	Market     *marketplace.Client
	Store      store.Store
	Breaker    *breaker.Breaker // before the marketplace
	Waiters    *breaker.Waiters
	Health     *health.Health
	Log        *slog.Logger
	Renewed    *breaker.Signal  // raised when the marketplace's token is new
	NextResync func() time.Time // when the schedule asks for the next resync; zero: never
	// asks for a sweep, which finds what happened while there was no registration
	AskSweep func()
	// is called with the path of an address that is registered again after its registration was
	// gone
	Anew func(path string)
}

// madeByUs is the registrations that workers with this store made for an address.
type madeByUs struct {
	Address string `json:"address"` // a digest: the address may end in a secret
	Own     own    `json:"own,omitempty"`
}

const fact store.Fact[madeByUs] = "webhook"

// A Keeper keeps the webhook registered: it checks at start and after every resync, and registers
// again when the registration is gone.
type Keeper struct {
	o       Options
	unknown map[string]time.Time // events that the marketplace refused as unknown, and when
	status  atomic.Pointer[Status]
}

func New(o Options) *Keeper {
	k := &Keeper{o: o, unknown: map[string]time.Time{}}
	k.status.Store(&Status{})
	return k
}

func (k *Keeper) Status() Status { return *k.status.Load() }

func (k *Keeper) Run(ctx context.Context) {
	if k.o.URL == "" {
		return
	}
	for attempt := 0; ctx.Err() == nil; {
		renewed := k.o.Renewed.Raised()
		k.o.Breaker.AwaitRetryAfter(ctx)
		if err := k.check(ctx); err != nil && ctx.Err() == nil {
			if attempt++; attempt == 1 {
				k.o.Log.Error("webhook cannot be registered, trying on", "url", k.o.URL, "error", err)
			}
			k.status.Store(&Status{URL: k.o.URL, Checked: time.Now(), Error: err.Error()})
			k.o.Breaker.Judge("", breaker.OfMarketplace(err))
			k.o.Health.FailedAt(health.Webhook, "", err.Error())
			breaker.Sleep(ctx, max(breaker.MinPause, breaker.Backoff(attempt, k.o.Waiters.MaxBackoff())), renewed)
			continue
		}
		attempt = 0
		k.o.Health.Mended(health.Webhook)
		wait := checkEvery
		if next := k.o.NextResync(); !next.IsZero() {
			wait = min(wait, time.Until(next))
		}
		breaker.Sleep(ctx, max(wait, time.Second), renewed)
	}
}

// check registers the webhook unless the marketplace has it active.
func (k *Keeper) check(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "register webhook", Message: k.o.Health.Recovered(p)}
		}
	}()
	sum := sha256.Sum256([]byte(k.o.URL))
	address := hex.EncodeToString(sum[:8])
	ours, _, err := fact.Get(ctx, k.o.Store)
	if err != nil {
		k.o.Health.StoreFailed(err)
	}
	if ours.Address != address || ours.Own == nil {
		ours = madeByUs{address, own{}}
	}
	wanted := slices.DeleteFunc(slices.Clone(k.o.Events), func(event string) bool {
		at, left := k.unknown[event]
		return left && time.Since(at) < askAgain
	})
	f, err := find(ctx, k.o.Market, k.o.URL, ours.Own, wanted) // so that a lost answer makes no second one
	if err == nil {
		err = f.ensure(ctx, k.o.Market, k.o.URL)
	}
	for _, h := range f.made {
		k.o.Log.Info("webhook registered", "url", k.o.URL, "webhook", h.ID, "events", h.Events)
		if h.ID != "" {
			ours.Own[h.ID] = !h.Active
		}
	}
	if len(f.made) > 0 {
		if err := fact.Set(context.WithoutCancel(ctx), k.o.Store, ours); err != nil {
			k.o.Health.StoreFailed(err)
		}
	}
	if err != nil {
		return err
	}
	k.registered(f)
	if len(f.made) == 0 {
		return nil
	}
	k.o.AskSweep()
	if u, err := url.Parse(k.o.URL); err == nil && len(f.Kept) == 0 {
		k.o.Anew(u.Path)
	}
	return nil
}

// registered records what is registered, and warns of what is not as it was wanted.
func (k *Keeper) registered(f Found) {
	for _, event := range f.Unknown {
		if _, told := k.unknown[event]; !told {
			k.o.Log.Warn("marketplace does not know an event, it is left out of the registration", "event", event)
		}
		k.unknown[event] = time.Now()
	}
	now := Status{URL: k.o.URL, Active: true, Checked: time.Now(), ID: slices.Concat(f.Kept, f.made)[0].ID}
	for _, event := range k.o.Events {
		if at, left := k.unknown[event]; left && time.Since(at) < askAgain {
			now.Unknown = append(now.Unknown, event)
		} else {
			now.Events = append(now.Events, event)
		}
	}
	for _, s := range f.Superfluous {
		now.Superfluous = append(now.Superfluous, s.ID)
	}
	if len(now.Superfluous) > 0 && !slices.Equal(k.Status().Superfluous, now.Superfluous) {
		k.o.Log.Warn("webhook is registered more than once, remove what is superfluous in the marketplace's admin",
			"webhooks", now.Superfluous)
	}
	k.status.Store(&now)
}
