package registration

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// checkEvery is how often the registration is checked where no resync is scheduled more often.
const checkEvery = time.Hour

// askAgain is when an event that the marketplace did not know is asked for again.
const askAgain = 24 * time.Hour

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
	Store      Memory
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

// A Keeper keeps the webhook registered: it checks at start and after every resync, and registers
// again when the registration is gone.
type Keeper struct {
	o       Options
	own     own
	unknown map[string]time.Time // events that the marketplace refused as unknown, and when

	mu     sync.Mutex
	status Status
}

func New(o Options) *Keeper {
	return &Keeper{o: o, own: own{memory: o.Store, address: o.URL}, unknown: map[string]time.Time{}}
}

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
			k.failed(ctx, err, attempt == 1)
			breaker.Sleep(ctx, max(breaker.MinPause, breaker.Backoff(attempt, k.o.Waiters.MaxBackoff())), renewed)
			continue
		}
		attempt = 0
		k.o.Health.Mended(health.Webhook)
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

func (k *Keeper) failed(ctx context.Context, err error, first bool) {
	k.set(Status{URL: k.o.URL, Checked: time.Now(), Error: err.Error()})
	k.o.Breaker.Judge("", breaker.OfMarketplace(err))
	if first {
		k.o.Log.Error("webhook cannot be registered, trying on", "url", k.o.URL, "error", err)
	}
	k.o.Health.FailedAt(health.Webhook, "", err.Error())
}

// check registers the webhook unless the marketplace has it active.
func (k *Keeper) check(ctx context.Context) (made bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			made, err = false, &marketplace.Error{Op: "register webhook", Message: k.o.Health.Recovered(p)}
		}
	}()
	own, err := k.own.get(ctx)
	if err != nil {
		k.o.Health.StoreFailed(err)
	}
	wanted, passed := k.wanted(time.Now())
	r, err := ensure(ctx, k.o.Market, k.o.URL, own, wanted)
	if len(r.Made) > 0 {
		for _, h := range r.Made {
			k.o.Log.Info("webhook registered", "url", k.o.URL, "webhook", h.ID, "events", h.Events)
		}
		if err := k.own.set(ctx, own, r.listed, r.Made); err != nil {
			k.o.Health.StoreFailed(err)
		}
	}
	if err == nil {
		err = switchedOff(r.Off)
	}
	if err != nil {
		return false, err
	}
	k.leaveOut(r.Unknown)
	now := Status{
		URL: k.o.URL, Active: true, Checked: time.Now(), ID: slices.Concat(r.Kept, r.Made)[0].ID,
		Unknown: append(passed, r.Unknown...),
	}
	now.Events = without(k.o.Events, now.Unknown)
	for _, s := range r.Superfluous {
		now.Superfluous = append(now.Superfluous, s.ID)
	}
	if before := k.Status(); len(now.Superfluous) > 0 && !slices.Equal(before.Superfluous, now.Superfluous) {
		k.o.Log.Warn(
			"webhook is registered more than once, remove what is superfluous in the marketplace's admin",
			"webhooks", now.Superfluous,
		)
	}
	k.set(now)
	if len(r.Kept) == 0 && len(r.Made) > 0 {
		if u, err := url.Parse(k.o.URL); err == nil {
			k.o.Anew(u.Path)
		}
	}
	return len(r.Made) > 0, nil
}

// wanted is the events to register. passed are those left out, since the marketplace did not know
// them within the last day.
func (k *Keeper) wanted(now time.Time) (wanted, passed []string) {
	for _, event := range k.o.Events {
		if at, ok := k.unknown[event]; ok && now.Sub(at) < askAgain {
			passed = append(passed, event)
		} else {
			wanted = append(wanted, event)
		}
	}
	return wanted, passed
}

// leaveOut warns of the events that the marketplace turned out not to know, and remembers them.
func (k *Keeper) leaveOut(events []string) {
	now := time.Now()
	for _, event := range events {
		if _, ok := k.unknown[event]; !ok {
			k.o.Log.Warn("marketplace does not know an event, it is left out of the registration", "event", event)
		}
		k.unknown[event] = now
	}
}
