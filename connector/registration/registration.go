// Package registration keeps the worker's webhook registered with the marketplace. Only events are
// registered that no active registration of the address has.
package registration

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
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

	Events  []string `json:"events,omitempty"`        // the wanted ones that are registered
	Unknown []string `json:"unknownEvents,omitempty"` // the wanted ones that the marketplace does not know
	// ids of further active registrations of the address for the same events
	Superfluous []string `json:"superfluous,omitempty"`
}

// Options are what a Keeper is made from. All are required.
type Options struct {
	URL        string   // the address to register; empty: none is
	Events     []string // what to register it for
	Market     *marketplace.Client
	Breaker    *breaker.Breaker // before the marketplace
	Waiters    *breaker.Waiters
	Health     *health.Health
	Log        *slog.Logger
	Renewed    *breaker.Signal  // raised when the marketplace's token is new
	NextResync func() time.Time // when the schedule asks for the next resync; zero: never
	AskSweep   func()           // finds what happened while there was no registration
}

// A Keeper keeps the webhook registered: it checks at start and after every resync, and registers
// again when the registration is gone.
type Keeper struct {
	o Options
	// the registrations of this process, by their ids: they are ours under any address that is shown.
	// true: never seen active. One that was active and is not any more does not count
	made    map[string]bool
	unknown map[string]time.Time // events that the marketplace refused as unknown, and when
	status  atomic.Pointer[Status]
}

func New(o Options) *Keeper {
	k := &Keeper{o: o, made: map[string]bool{}, unknown: map[string]time.Time{}}
	k.status.Store(&Status{})
	return k
}

func (k *Keeper) Status() Status { return *k.status.Load() }

func (k *Keeper) Run(ctx context.Context) {
	for attempt := 0; k.o.URL != "" && ctx.Err() == nil; {
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

// check registers the webhook unless the marketplace has it active. It lists before it registers, so
// that a lost answer makes no second one.
func (k *Keeper) check(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "register webhook", Message: k.o.Health.Recovered(p)}
		}
	}()
	f, err := find(ctx, k.o.Market, k.o.URL, k.made, without(k.o.Events, k.left()))
	if err != nil {
		return err
	}
	before := len(f.Kept)
	err = f.ensure(ctx, k.o.Market, k.o.URL)
	for _, h := range f.Kept[before:] {
		k.o.Log.Info("webhook registered", "url", k.o.URL, "webhook", h.ID, "events", h.Events)
		if h.ID != "" {
			k.made[h.ID] = !h.Active
		}
	}
	for _, event := range f.Unknown {
		if k.unknown[event].IsZero() {
			k.o.Log.Warn("marketplace does not know an event, it is left out of the registration", "event", event)
		}
		k.unknown[event] = time.Now()
	}
	off := slices.IndexFunc(f.Kept, func(h marketplace.Webhook) bool { return !h.Active })
	switch {
	case err != nil:
		return err
	case len(f.Kept) == 0:
		return refused("the marketplace knows none of the wanted events")
	case off >= 0:
		return refused("the marketplace has made webhook " + f.Kept[off].ID +
			" and not switched it on: switch it on in its admin")
	}
	now := Status{
		URL: k.o.URL, Active: true, Checked: time.Now(), ID: f.Kept[0].ID,
		Events: without(k.o.Events, k.left()), Unknown: k.left(),
	}
	for _, s := range f.Superfluous {
		now.Superfluous = append(now.Superfluous, s.ID)
	}
	k.status.Store(&now)
	if len(f.Kept) > before {
		k.o.AskSweep()
	}
	return nil
}

// left is the wanted events that are left out for now.
func (k *Keeper) left() (events []string) {
	for _, event := range k.o.Events {
		if time.Since(k.unknown[event]) < askAgain {
			events = append(events, event)
		}
	}
	return events
}

// Found is the marketplace's registrations as far as they serve one address and the wanted events.
type Found struct {
	Kept        []marketplace.Webhook // which cover every wanted event that is not in Missing
	Missing     []string              // wanted events that none of them covers
	Superfluous []marketplace.Webhook // active ones of the address that add nothing to Kept
	Unknown     []string              // wanted events that the marketplace does not know
}

// Find reads the marketplace's registrations, and sorts them by whether they serve an address and
// the wanted events.
func Find(ctx context.Context, market *marketplace.Client, address string, events []string) (Found, error) {
	return find(ctx, market, address, nil, events)
}

// find is Find where some registrations are known to be ours. Of these one that was never switched on
// counts too, for events that no active one covers. find notes in ours which it sees active.
func find(
	ctx context.Context, market *marketplace.Client, address string, ours map[string]bool, events []string,
) (f Found, err error) {
	hooks, err := market.Webhooks(ctx)
	if err != nil {
		return f, err
	}
	dialect, err := market.Probe(ctx)
	if err != nil {
		return f, err
	}
	f.Unknown = slices.DeleteFunc(slices.Clone(events), dialect.TakesEvent)
	f.Missing = without(events, f.Unknown)
	wanted := f.Missing
	// an active one counts first, then one that covers more
	rank := func(h marketplace.Webhook) (n int) {
		if !h.Active {
			n = len(wanted) + 1
		}
		return n + len(without(wanted, h.Events))
	}
	slices.SortStableFunc(hooks, func(a, b marketplace.Webhook) int { return rank(a) - rank(b) })
	for _, h := range hooks {
		off, made := ours[h.ID]
		if off && h.Active {
			ours[h.ID] = false
		}
		left := without(f.Missing, h.Events)
		if made && len(h.Events) == 0 { // it does not say what it is for
			left = nil
		}
		switch {
		case !h.Active && !off, !made && !sameCallback(h.CallbackURL, address):
		case len(left) < len(f.Missing):
			f.Kept, f.Missing = append(f.Kept, h), left
		case h.Active && len(without(wanted, h.Events)) < len(wanted):
			f.Superfluous = append(f.Superfluous, h)
		}
	}
	return f, nil
}

// ensure registers an address for the missing events, and each by itself where they are refused
// together: an event that the marketplace does not know keeps no other from being registered.
func (f *Found) ensure(ctx context.Context, market *marketplace.Client, address string) error {
	if len(f.Missing) == 0 {
		return nil
	}
	refusal := f.register(ctx, market, address, f.Missing)
	if !refuses(refusal) || strings.Contains(refusal.Error(), "callbackUrl") { // no event is at fault
		return refusal
	}
	if missing := f.Missing; len(missing) > 1 {
		for _, event := range missing {
			if err := f.register(ctx, market, address, []string{event}); err != nil && !refuses(err) {
				return err
			}
		}
	}
	if len(f.Kept) == 0 { // it may be about the address
		return refusal
	}
	f.Unknown = append(f.Unknown, f.Missing...)
	return nil
}

func (f *Found) register(ctx context.Context, market *marketplace.Client, address string, events []string) error {
	h, err := market.RegisterWebhook(ctx, address, events)
	if err == nil {
		f.Kept, f.Missing = append(f.Kept, h), without(f.Missing, events)
	}
	return err
}

func refuses(err error) bool {
	kind := marketplace.KindOf(err) // Transient for no error
	return kind == marketplace.Refused || kind == marketplace.Invalid
}

func refused(why string) error {
	return &marketplace.Error{Op: "register webhook", Kind: marketplace.Refused, Message: why}
}

// sameCallback reports whether two callback addresses are one. Marketplaces and the proxies before
// them change their spelling, and drop a fragment.
func sameCallback(a, b string) bool {
	a, _, _ = strings.Cut(a, "#")
	b, _, _ = strings.Cut(b, "#")
	return publication.SameAddress(a, b)
}

func without(events, others []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(event string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(other, event) })
	})
}
