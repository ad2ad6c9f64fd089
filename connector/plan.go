package connector

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/dry"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/metrics"
	"github.com/pubsync/pubsync/connector/outbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/run"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Planner makes the plan of a run: it makes that run over the store. It cannot write: it holds a
// reader of the marketplace without mutations, a reader of the store, and the reading functions of
// the shop's adapter.
type Planner struct {
	Marketplace *marketplace.Reader
	Store       store.Store
	Shop        dry.Reads
	Settings    publication.Settings
	Patience    time.Duration
	Concurrency int                     // publications looked at at a time; 0: plannedAtOnce
	Currency    string                  // as of Options
	Install     string                  // as of Options
	Variants    publication.VariantMode // whether the list of product variants is followed; "": it is not
	Resync      cron.Schedule           // of enumerations; nil: none
	RuleSet     map[string]string       // as of Options
	Writes      map[string]publication.Writing
	Redact      func(string) string // as of Options
	Scarce      func() bool         // as of Options

	// Progress is called every second with how far the planned run has come; nil: it is not told.
	Progress func(desk.Progress)
}

// plannedAtOnce is the default of Planner.Concurrency.
const plannedAtOnce = 4

// NewPlanner makes a planner. It keeps only the reading functions of the shop.
func NewPlanner(
	market *marketplace.Reader, view store.Store, shop shopadapter.Adapter, settings publication.Settings,
	patience time.Duration,
) *Planner {
	return &Planner{
		Marketplace: market, Store: view, Shop: dry.ReadsOf(shop), Settings: settings,
		Patience: patience, Concurrency: plannedAtOnce, Redact: func(s string) string { return s },
	}
}

// Planner makes the planner of this connector.
func (c *Connector) Planner(patience time.Duration) *Planner {
	p := NewPlanner(c.o.Marketplace.Reader, c.o.Store, c.secrets.Shop(), c.rules(), patience)
	p.Concurrency, p.Currency, p.Install, p.Redact = c.o.Concurrency, c.o.Currency, c.o.Install, c.o.Redact
	p.Variants, p.Resync, p.RuleSet, p.Scarce = c.o.Variants, c.o.Resync, c.o.RuleSet, c.o.Scarce
	p.Writes = c.o.Writes
	return p
}

// Plan makes the plan of a run, or with full of a full run. The error is also in the plan, with the
// exit code.
func (p *Planner) Plan(ctx context.Context, full bool) (desk.Plan, error) {
	recorder := &dry.Recorder{}
	over, err := store.Over(ctx, p.Store)
	if err != nil {
		plan := desk.NewPlan()
		plan.Error, plan.Exit = err.Error(), desk.ExitStore
		return plan, err
	}
	x := p.executor(over, recorder)
	summary, err := p.run(ctx, x, full)
	plan, failed := recorder.Plan(context.WithoutCancel(ctx), p.Store, over, full)
	if err = errors.Join(err, failed); err != nil {
		plan.Error, plan.Exit = err.Error(), summary.Exit
	}
	if err != nil && plan.Exit <= desk.ExitStanding { // what stands is no fault of a plan
		plan.Exit = desk.ExitMarketplace
	}
	return plan, err
}

// executor makes the loops of the planned run. They know nothing of this process: not its counts,
// not what it found out, and not the shop's pause, which ends before the plan is carried out.
func (p *Planner) executor(over store.Store, recorder *dry.Recorder) *executor {
	log := slog.New(slog.DiscardHandler)
	shop, h, m := dry.NewShop(p.Shop, over), health.New(log, p.Redact, over), metrics.New()
	return newExecutor(newSides(shop, h, log), parts{
		Store: over, Market: p.Marketplace, Reports: dry.NewMarket(p.Marketplace, p.Store, over),
		Shop: func() shopadapter.Adapter { return shop }, Keys: noKeys{}, Observer: recorder,
		Metrics: m, Swept: m, Health: h, Logger: log, Settings: p.Settings, RuleSet: p.RuleSet, Writes: p.Writes,
		Concurrency: p.Concurrency, Currency: p.Currency, Install: p.Install, Resync: p.Resync,
		Variants: p.Variants, Grace: plannedGrace, Scarce: p.Scarce,
	})
}

// plannedGrace is the time left for looks that are under way when the caller of a plan gives up.
const plannedGrace = 3 * time.Second

// run makes the run that the plan shows.
func (p *Planner) run(ctx context.Context, x *executor, full bool) (desk.Summary, error) {
	if err := x.restore(context.WithoutCancel(ctx)); err != nil {
		return desk.Summary{Exit: desk.ExitStore}, err
	}
	needs := x.runs()
	needs.Reports, needs.ShopSide, needs.Market = noEcho{x.reporter}, willing{x.shop.breaker}, shared{p.Marketplace}
	return x.once(ctx, needs, desk.RunOptions{Full: full, Patience: p.Patience, Progress: p.Progress})
}

// noKeys never reads secrets again.
type noKeys struct{}

func (noKeys) Reread(context.Context) bool { return false }

// noEcho are reports that move no updatedAt: the marketplace is told nothing.
type noEcho struct{ *outbox.Reporter }

func (noEcho) LastAck() store.Instant { return 0 }

// willing is the side of a shop that accepts everything: a run need not check at its end that it
// works.
type willing struct{ run.Side }

func (willing) WorkedSince(time.Time) bool { return true }

// shared is a marketplace that a worker uses too: a plan must not have it forget what it found out.
type shared struct{ *marketplace.Reader }
