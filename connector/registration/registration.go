// Package registration keeps the webhook registered for events that no active registration of its address has.
package registration

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
)

const (
	checkEvery = time.Hour      // or at a sooner resync
	askAgain   = 24 * time.Hour // for unknown events
)

// Options make a Keeper. All are required.
type Options struct {
	URL     string // empty: no registration
	Events  []string
	Market  *marketplace.Client
	Engine  *engine.Engine // asked for a sweep of what happened without a registration
	Renewed *engine.Signal // raised by a new token
}

// A Keeper checks the registration at start, then at each resync and at least hourly.
type Keeper struct {
	o Options
	// see Find
	made    map[string]bool
	unknown []string // to the marketplace at learned
	learned time.Time
	status  atomic.Pointer[desk.Registration]
}

func New(o Options) *Keeper {
	k := &Keeper{o: o, made: map[string]bool{}}
	k.status.Store(&desk.Registration{})
	return k
}

func (k *Keeper) Status() desk.Registration { return *k.status.Load() }

// Run keeps the webhook registered until ctx ends. Its failure does not stop sweeps.
func (k *Keeper) Run(ctx context.Context) {
	x := k.o.Engine
	for attempt := 0; k.o.URL != "" && ctx.Err() == nil; {
		renewed := k.o.Renewed.Raised()
		x.MarketSide.AwaitRetryAfter(ctx)
		wait := checkEvery
		if err := k.check(ctx); err == nil {
			attempt = 0
			if next := x.Next(true); !next.IsZero() {
				wait = max(min(wait, time.Until(next)), time.Second)
			}
		} else if attempt++; ctx.Err() == nil {
			if attempt == 1 {
				x.Logger.Error("webhook cannot be registered, trying on", "url", k.o.URL, "error", err)
			}
			k.status.Store(&desk.Registration{URL: k.o.URL, Checked: time.Now(), Error: err.Error()})
			x.Health.Failed(err.Error())
			wait = max(engine.MinPause, engine.Backoff(attempt, x.MaxBackoff()))
			if e, ok := errors.AsType[*marketplace.Error](err); ok {
				wait = max(wait, e.RetryAfter)
			}
		}
		engine.Sleep(ctx, wait, renewed)
	}
}

// check lists before it registers, so that a lost answer makes no second one.
func (k *Keeper) check(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refused(k.o.Engine.Health.Recovered(p))
		}
	}()
	if now := time.Now(); now.Sub(k.learned) >= askAgain { // they may be known by now
		k.unknown, k.learned = nil, now
	}
	f, err := Find(ctx, k.o.Market, k.o.URL, without(k.o.Events, k.unknown), k.made)
	if err != nil {
		return err
	}
	before := len(f.kept)
	err = k.register(ctx, &f, f.Missing)
	if len(f.kept) == 0 { // a refusal may be about the address
		return cmp.Or(err, f.refusal, refused("the marketplace knows none of the wanted events"))
	}
	for _, event := range f.Unknown {
		k.o.Engine.Logger.Warn("marketplace does not know an event, it is left out of the registration", "event", event)
	}
	k.unknown = append(k.unknown, f.Unknown...)
	off := slices.IndexFunc(f.kept, func(h marketplace.Webhook) bool { return !h.Active })
	switch {
	case err != nil:
		return err
	case off >= 0:
		return refused("the marketplace has made webhook " + f.kept[off].ID +
			" and not switched it on: switch it on in its admin")
	}
	k.status.Store(&desk.Registration{
		URL: k.o.URL, Active: true, Checked: time.Now(), ID: f.kept[0].ID,
		Events: without(k.o.Events, k.unknown), Unknown: slices.Clone(k.unknown),
	})
	if len(f.kept) > before {
		k.o.Engine.AskFor(false)
	}
	return nil
}

// register tries events together, else each by itself: an unknown one keeps no other out and is no error.
func (k *Keeper) register(ctx context.Context, f *Found, events []string) error {
	if len(events) == 0 {
		return nil
	}
	h, err := k.o.Market.RegisterWebhook(ctx, k.o.URL, events)
	kind := marketplace.KindOf(err)
	switch {
	case err == nil:
		k.o.Engine.Logger.Info("webhook registered", "url", k.o.URL, "webhook", h.ID, "events", h.Events)
		if f.kept = append(f.kept, h); h.ID != "" {
			k.made[h.ID] = h.Active
		}
	case kind != marketplace.Refused && kind != marketplace.Invalid || strings.Contains(err.Error(), "callbackUrl"):
		return err // no event is at fault
	case len(events) == 1:
		f.Unknown, f.refusal = append(f.Unknown, events[0]), err
	default:
		for event := range slices.Chunk(events, 1) {
			if err := k.register(ctx, f, event); err != nil {
				return err
			}
		}
	}
	return nil
}

// Found is how registrations serve the wanted events.
type Found struct {
	Missing []string // wanted, but not covered
	Unknown []string // to the marketplace
	kept    []marketplace.Webhook
	refusal error // of the last unknown event
}

// Find reads the registrations of an address for the wanted events. ours has those of this process, under any shown
// address, and whether each was ever active, which Find notes. One that never was covers what no active one does.
func Find(
	ctx context.Context, market *marketplace.Client, address string, events []string, ours map[string]bool,
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
	for _, active := range []bool{true, false} {
		for _, h := range hooks {
			wasActive, made := ours[h.ID]
			if h.Active != active || !made && !sameCallback(h.CallbackURL, address) || !active && (!made || wasActive) {
				continue
			}
			if made {
				ours[h.ID] = active
			}
			left := without(f.Missing, h.Events)
			if made && len(h.Events) == 0 { // it does not say what it is for
				left = nil
			}
			if len(left) < len(f.Missing) {
				f.kept, f.Missing = append(f.kept, h), left
			}
		}
	}
	return f, nil
}

func refused(why string) error {
	return &marketplace.Error{Op: "register webhook", Kind: marketplace.Refused, Message: why}
}

// sameCallback compares addresses whose spelling a marketplace or proxy may change, without fragments.
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
