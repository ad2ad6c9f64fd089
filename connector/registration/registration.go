// Package registration keeps the worker's webhook registered with the marketplace. Only events are
// registered that no active registration of the address has.
package registration

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
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
	checkEvery = time.Hour      // where no resync is scheduled more often
	askAgain   = 24 * time.Hour // for events that the marketplace did not know
)

// Options are what a Keeper is made from. All are required.
type Options struct {
	URL        string   // the address to register; empty: none is
	Events     []string // what to register it for
	Market     *marketplace.Client
	Gate       *engine.Gate // before the marketplace
	Waiters    *engine.Waiters
	Health     *engine.Health
	Log        *slog.Logger
	Renewed    *engine.Signal   // raised when the marketplace's token is new
	NextResync func() time.Time // when the schedule asks for the next resync; zero: never
	AskSweep   func()           // finds what happened while there was no registration
}

// A Keeper keeps the webhook registered: it checks at start and after every resync, and registers
// again when the registration is gone.
type Keeper struct {
	o Options
	// whether each registration of this process was ever seen active: they are ours under any address that is shown
	made    map[string]bool
	unknown []string // events that the marketplace did not know at learned
	learned time.Time
	status  atomic.Pointer[desk.Registration]
}

func New(o Options) *Keeper {
	k := &Keeper{o: o, made: map[string]bool{}}
	k.status.Store(&desk.Registration{})
	return k
}

func (k *Keeper) Status() desk.Registration { return *k.status.Load() }

// Run keeps the webhook registered until ctx ends. A failure is this request's alone: sweeps go on.
func (k *Keeper) Run(ctx context.Context) {
	for attempt := 0; k.o.URL != "" && ctx.Err() == nil; {
		renewed := k.o.Renewed.Raised()
		k.o.Gate.AwaitRetryAfter(ctx)
		wait := checkEvery
		if err := k.check(ctx); err == nil {
			attempt = 0
			k.o.Health.Mended(engine.PartWebhook)
			if next := k.o.NextResync(); !next.IsZero() {
				wait = max(min(wait, time.Until(next)), time.Second)
			}
		} else if attempt++; ctx.Err() == nil {
			if attempt == 1 {
				k.o.Log.Error("webhook cannot be registered, trying on", "url", k.o.URL, "error", err)
			}
			k.status.Store(&desk.Registration{URL: k.o.URL, Checked: time.Now(), Error: err.Error()})
			k.o.Health.FailedAt(engine.PartWebhook, "", err.Error())
			wait = max(engine.MinPause, engine.Backoff(attempt, k.o.Waiters.MaxBackoff()))
			if e, ok := errors.AsType[*marketplace.Error](err); ok {
				wait = max(wait, e.RetryAfter)
			}
		}
		engine.Sleep(ctx, wait, renewed)
	}
}

// check registers the webhook unless the marketplace has it active. It lists before it registers, so
// that a lost answer makes no second one.
func (k *Keeper) check(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refused(k.o.Health.Recovered(p))
		}
	}()
	if now := time.Now(); now.Sub(k.learned) >= askAgain { // it may know them by now
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
		k.o.Log.Warn("marketplace does not know an event, it is left out of the registration", "event", event)
	}
	k.unknown = append(k.unknown, f.Unknown...)
	off := slices.IndexFunc(f.kept, isOff)
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
		k.o.AskSweep()
	}
	return nil
}

// register registers the address for events, and for each by itself where they are refused together: an
// event that the marketplace does not know keeps no other from being registered, and is no error.
func (k *Keeper) register(ctx context.Context, f *Found, events []string) error {
	if len(events) == 0 {
		return nil
	}
	h, err := k.o.Market.RegisterWebhook(ctx, k.o.URL, events)
	kind := marketplace.KindOf(err)
	switch {
	case err == nil:
		k.o.Log.Info("webhook registered", "url", k.o.URL, "webhook", h.ID, "events", h.Events)
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

// Found is the marketplace's registrations as far as they serve one address and the wanted events.
type Found struct {
	Missing []string // wanted events that none of them covers
	Unknown []string // wanted events that the marketplace does not know
	kept    []marketplace.Webhook
	refusal error // of an unknown event, the last one
}

// Find reads what the marketplace has registered for an address and the wanted events. ours is registrations
// that this process made, under any address that is shown, and whether each was ever seen active, which Find
// notes. One that never was covers the events that no active one does, since it may only have to be switched on.
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
	hooks = append(slices.DeleteFunc(slices.Clone(hooks), isOff), slices.DeleteFunc(hooks, isOn)...) // active ones first
	for _, h := range hooks {
		wasActive, made := ours[h.ID]
		if !made && !sameCallback(h.CallbackURL, address) || !h.Active && (!made || wasActive) {
			continue
		}
		if made {
			ours[h.ID] = h.Active
		}
		left := without(f.Missing, h.Events)
		if made && len(h.Events) == 0 { // it does not say what it is for
			left = nil
		}
		if len(left) < len(f.Missing) {
			f.kept, f.Missing = append(f.kept, h), left
		}
	}
	return f, nil
}

func isOn(h marketplace.Webhook) bool { return h.Active }

func isOff(h marketplace.Webhook) bool { return !h.Active }

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
