package connector

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/store"
)

// NewDesk is the desk over a store on which no worker runs in this process.
func NewDesk(s store.Store, r publication.Rules, jobs desk.Jobs) *desk.Local {
	return &desk.Local{Store: s, Rules: r, Jobs: jobs}
}

// Desk is the desk of a connector that runs.
func (c *Connector) Desk() *desk.Local {
	return &desk.Local{
		Store: c.o.Store, Rules: c.o.Rules, Worker: deskWorker{c}, Jobs: deskWorker{c}, BackUp: c.o.Admin.BackUp,
		Settings: c.o.Admin.Settings, Figures: c.o.Admin.Figures, Read: c.o.Admin.Try,
	}
}

// A deskWorker is the connector as the desk needs it: a desk.Worker and desk.Jobs.
type deskWorker struct{ c *Connector }

// Tell adds what only the worker knows.
func (w deskWorker) Tell(ctx context.Context, s *desk.Status) {
	c, now := w.c, time.Now()
	s.Version, s.Webhook, s.Started = c.o.Version, c.registered(), c.health.Started()
	s.Budget = desk.BudgetOf(c.o.Marketplace.Budget(), now)
	incremental, full := c.sweeper.Last()
	s.Sweeps.Incremental, s.Sweeps.Full = desk.LastSweep(incremental), desk.LastSweep(full)
	s.Sweeps.Next, s.Sweeps.NextFull = c.nextSweep(false), c.nextSweep(true)
	s.Variants = s.Variants.In(cmp.Or(c.o.Variants, publication.VariantsOff))
	if later := c.secrets.Get().Later; len(later) > 0 {
		if s.Rules == nil {
			s.Rules = &desk.Rules{}
		}
		s.Rules.Later = later
	}
	shop := c.shop.breaker.Status(now)
	warning := s.Shop.Warning
	s.Shop, s.Marketplace = sideOf(c.o.ShopName, shop), sideOf("", c.market.breaker.Status(now))
	s.Shop.Warning = warning
	if at := c.shop.prober.NextTry(now); !at.IsZero() {
		s.Shop.Until = &at
	}
	if trouble := c.health.StoreError(); trouble != nil {
		s.Store.Error = trouble.Error()
	}
	s.LastError, s.Pace = desk.LastErrorOf(c.health.Last()), c.pace.Load()
}

// registered is how the webhook is registered, and what became of the last deliveries.
func (c *Connector) registered() desk.Registration {
	now := c.webhooks.registration.Status()
	r := desk.Registration{
		// the address may end in the path token
		URL: c.o.Redact(now.URL), Active: now.Active, ID: now.ID, Checked: now.Checked, Error: c.o.Redact(now.Error),
		Events: now.Events, Unknown: now.Unknown, Superfluous: now.Superfluous,
	}
	r.Refused = refusedOf(c.webhooks.refusals.Worst())
	return r
}

// refusedOf is a count of refused deliveries as the desk shows it.
func refusedOf(f *listener.Refused) *desk.Refused {
	if f == nil {
		return nil
	}
	return &desk.Refused{
		InARow: f.InARow, Allowed: listener.RefusalsAllowed, Since: f.Since, Last: f.Last, Why: f.Why,
		Says: desk.WhyRefused(f.Why),
	}
}

// A sweepRecorder counts sweeps, and stores the last ones.
type sweepRecorder struct {
	sweep.Metrics
	remember func(ctx context.Context, ended error)
}

func (r sweepRecorder) Swept(ctx context.Context, full bool, err error) {
	r.Metrics.Swept(ctx, full, err)
	r.remember(ctx, err)
}

// remember stores what status shows of this process after its end. It writes nothing to a store
// that is damaged or another account's.
func (c *Connector) remember(ctx context.Context, ended error) {
	if hopeless(ended) {
		return
	}
	incremental, full := c.sweeper.Last()
	past := desk.Past{
		Incremental: desk.LastSweep(incremental), Full: desk.LastSweep(full), LastError: desk.LastErrorOf(c.health.Last()),
	}
	now := time.Now()
	past.Exit = desk.Status{
		Shop: sideOf("", c.shop.breaker.Status(now)), Marketplace: sideOf("", c.market.breaker.Status(now)),
		Sweeps: desk.Sweeps{Incremental: past.Incremental},
	}.Exit()
	if err := past.Keep(context.WithoutCancel(ctx), c.o.Store); err != nil {
		c.health.StoreFailed(err)
	}
}

// hopeless reports whether the store is damaged or another account's.
func hopeless(ended error) bool {
	var account *store.AccountError
	return errors.As(ended, &account) || store.Hopeless(ended)
}

// nextSweep is when the schedule asks for a sweep of a kind, nil where it asks for none.
func (c *Connector) nextSweep(full bool) *time.Time {
	next := c.sweeper.Next(full)
	if next.IsZero() {
		return nil
	}
	return &next
}

// A Pause is why the shop or the marketplace is paused.
type Pause struct {
	Reason  string
	Refused bool // credentials or the address are refused: a person must act
}

// Pauses are the pauses of the sides "shop" and "marketplace" at the moment, by side. It asks
// nobody.
func (c *Connector) Pauses() map[string]Pause {
	pauses := map[string]Pause{}
	for name, b := range map[string]*breaker.Breaker{"shop": c.shop.breaker, "marketplace": c.market.breaker} {
		if s := b.Status(time.Now()); s.Paused {
			pauses[name] = Pause{s.Reason, s.Refused}
		}
	}
	return pauses
}

func sideOf(name string, b breaker.Status) desk.Side {
	s := desk.Side{Name: name, Paused: b.Paused}
	if b.Paused {
		s.Reason, s.Since = b.Reason, &b.Since
	}
	if b.Open && !b.Until.IsZero() {
		s.Until = &b.Until
	}
	return s
}

// Ready is why webhooks cannot be stored, nil where they can. The shop and the marketplace do not
// matter.
func (w deskWorker) Ready(ctx context.Context) error {
	c := w.c
	err := c.health.StoreError()
	if err == nil || c.health.StoreWorks(ctx) {
		err = store.Writable(ctx, c.o.Store)
	}
	if err != nil && store.Hopeless(err) {
		c.health.StoreFailed(err)
	}
	return err
}

// Wake has the worker ask at once for what is due.
func (w deskWorker) Wake() { w.c.due.Raise() }

// TryShop ends each pause that the shop did not ask for. In a pause that it asked for, the shop is
// checked.
func (w deskWorker) TryShop(ctx context.Context) (waits string) {
	c := w.c
	c.shop.breaker.Release()
	c.reporter.Notify()
	c.shop.prober.CheckPause(ctx)
	now := time.Now()
	if waits = c.shop.breaker.Status(now).Asked(now); waits != "" {
		waits = c.health.Line(waits)
	}
	c.due.Raise()
	return waits
}

// Sweep queues a sweep that a person asks for. Everything pending is due at once, and each pause
// ends that the other side did not ask for.
func (w deskWorker) Sweep(ctx context.Context, full bool) {
	c := w.c
	c.shop.breaker.Release()
	c.market.breaker.Release()
	c.secrets.Reread(ctx)
	if err := c.Wake(ctx, time.Now()); err != nil {
		c.health.StoreFailed(err)
	}
	c.Sweep(full)
}

// Run makes a single run within the worker. Its summary says so where the worker stops meanwhile.
func (w deskWorker) Run(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	ctx, end := w.working(ctx)
	defer end()
	s, err := w.c.RunOnce(ctx, o)
	if err != nil && w.c.runCtx().Err() != nil {
		s.Exit, s.Error = desk.ExitStore, "the worker is stopping"
	}
	return s, nil
}

// Plan plans a run with the worker's settings. Rules of prices and stock that the caller names
// replace the worker's. An error that ended it early is in the plan.
func (w deskWorker) Plan(ctx context.Context, o desk.RunOptions) (desk.Plan, error) {
	ctx, end := w.working(ctx)
	defer end()
	planner := w.c.Planner(o.Patience)
	if o.Rules != nil {
		planner.Settings.Rules, planner.RuleSet = planner.Settings.Rules.WithFigures(o.Rules.Rules), o.Rules.Set
	}
	plan, _ := planner.Plan(ctx, o.Full) //nolint:errcheck // the plan carries it
	return plan, nil
}

// working is a context that ends with the worker.
func (w deskWorker) working(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(w.c.runCtx(), cancel)
	return ctx, func() { stop(); cancel() }
}
