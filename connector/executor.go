package connector

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"
	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/drift"
	"github.com/pubsync/pubsync/connector/forget"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/metrics"
	"github.com/pubsync/pubsync/connector/outbox"
	"github.com/pubsync/pubsync/connector/probe"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/connector/review"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/connector/run"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/connector/worker/look"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// parts are what an executor is made from.
type parts struct {
	Store    store.Store
	Market   *marketplace.Reader
	Reports  outbox.Market              // the marketplace that reports are made to
	Shop     func() shopadapter.Adapter // with the present credentials
	Keys     run.Keys
	Observer look.Observer // of what looks do; may be nil
	Metrics  *metrics.Metrics
	Swept    sweep.Metrics // is told of sweeps
	Health   *health.Health
	Logger   *slog.Logger

	Settings    publication.Settings // the executor itself fills in Backoff
	Writes      map[string]publication.Writing
	RuleSet     map[string]string // as of Options
	Concurrency int
	AllCalls    *semaphore.Weighted // as of Options
	Currency    string
	Said        *shopadapter.Info
	Install     string
	Sweep       cron.Schedule
	Resync      cron.Schedule
	Variants    publication.VariantMode
	Grace       time.Duration
	Scarce      func() bool  // as of Options
	Visitor     *http.Client // as of Options
}

// An executor has the loops that a single run is made of. A connector has one over its store and
// its shop. A plan has one on a store in memory over the real one, with a shop that accepts everything.
type executor struct {
	sides

	p         parts
	health    *health.Health
	due       *breaker.Signal // raised when a publication may be due
	resynced  *breaker.Signal // raised at the end of each complete enumeration
	gaps      *quota.Gaps
	share     *quota.Share
	takeover  *takeover.Keeper
	sweeper   *sweep.Sweeper
	worker    *worker.Worker
	reporter  *outbox.Reporter
	forgetter *forget.Forgetter
	ruled     atomic.Bool // a change of the rules of prices is held as one, or was declined
}

// sides are the shop and the marketplace as the loops know them.
type sides struct {
	waiters *breaker.Waiters
	shop    shopSide
	market  marketSide
}

// A shopSide is the breaker before the shop, and the loops that are not about one publication.
type shopSide struct {
	breaker *breaker.Breaker
	prober  *probe.Prober
	drift   *drift.Finder
	review  *review.Review
	overdue outbox.Overdue // publications that have waited for the shop too long
}

// A marketSide is the breaker before the marketplace, and what keeps its directory.
type marketSide struct {
	breaker   *breaker.Breaker
	directory *directory.Keeper
}

// newSides makes the breakers.
func newSides(shop shopadapter.Adapter, h *health.Health, log *slog.Logger) sides {
	s := sides{waiters: &breaker.Waiters{}}
	s.shop.breaker = breaker.New(breaker.Options{
		Side: breaker.Shop, Log: log, Most: s.waiters.MaxBackoff, Checked: true,
		Failed: func(id, reason string) { h.FailedAt(health.Shop, id, reason) },
		Mended: func(ids ...string) { h.Mended(health.Shop, ids...) },
	})
	s.market.breaker = breaker.New(breaker.Options{
		Side: breaker.Marketplace, Log: log, Most: s.waiters.MaxBackoff,
		Failed: func(id, reason string) { h.FailedAt(health.Marketplace, id, reason) },
		Mended: func(ids ...string) { h.Mended(health.Marketplace, ids...) },
	})
	return s
}

// newExecutor wires the loops. It starts nothing.
func newExecutor(s sides, p parts) *executor {
	x := &executor{
		sides: s, p: p, health: p.Health, due: breaker.NewSignal(), resynced: breaker.NewSignal(),
		gaps: quota.NewGaps(), share: &quota.Share{},
	}
	x.wireShop()
	x.wireMarket()
	x.wireWork()
	x.health.OnPanic(p.Metrics.Panicked)
	x.health.OnStoreBack(x.wakeAll)
	x.health.Progressed(time.Now())
	return x
}

// wireShop makes the parts that ask the shop about itself and about what it holds.
func (x *executor) wireShop() {
	s, p := &x.shop, x.p
	x.takeover = takeover.New(takeover.Options{
		Store: p.Store, Market: p.Market, Shop: p.Shop, Breaker: s.breaker, Health: x.health, Log: p.Logger,
	})
	s.review = &review.Review{Store: p.Store, Line: x.health.Line, Rewrite: rules.Rewrite, Log: p.Logger, Due: x.due}
	s.prober = probe.New(probe.Options{
		Shop: p.Shop, Currency: p.Currency, Said: p.Said, Told: s.review.Told, Resynced: x.resynced,
		Breaker: s.breaker, Waiters: x.waiters, Health: x.health, Store: p.Store, Log: p.Logger, Due: x.due,
	})
}

// wireMarket makes the parts that list, read the directory, and report.
func (x *executor) wireMarket() {
	p := x.p
	x.reporter = outbox.New(outbox.Options{
		Store: p.Store, Market: p.Reports, Breaker: x.market.breaker, Waiters: x.waiters, Health: x.health,
		Log: p.Logger, Due: x.due, Ready: x.Ready, Started: x.health.Started(),
	})
	x.sweeper = sweep.New(sweep.Options{
		Store: p.Store, Market: p.Market, Breaker: x.market.breaker, Waiters: x.waiters, Health: x.health,
		Log: p.Logger, Brake: p.Settings.Brake, Hints: x.share, Due: x.due, Resynced: x.resynced,
		Reports: x.reporter, Keeper: x.takeover, Terms: x.shop.prober, Metrics: p.Swept,
		Incremental: p.Sweep, Full: p.Resync, Install: p.Install, Variants: p.Variants,
	})
	x.market.directory = directory.New(directory.Options{
		Store: p.Store, Market: p.Market, Language: languageOf(p.Settings.Rules), Install: p.Install,
		StoreFailed: x.health.StoreFailed, Log: p.Logger, Told: x.judgeRules,
	})
}

// judgeRules warns of rules that go by a category that the marketplace does not have.
func (x *executor) judgeRules(tree []marketplace.CategoryNode) {
	for _, warning := range x.p.Settings.Rules.Unmeant(tree) {
		x.p.Logger.Warn("a rule cannot be meant as it is written", "rule", warning)
	}
}

// wireWork makes the worker, and the parts that check what is on sale.
func (x *executor) wireWork() {
	p := &x.p
	p.Settings.Backoff = func(id string, attempts int) time.Duration {
		return breaker.BackoffOf(id, attempts, breaker.MaxBackoff)
	}
	x.worker = worker.New(worker.Options{
		Store: p.Store, Market: p.Market, Shop: p.Shop, ShopBreaker: x.shop.breaker, MarketBreaker: x.market.breaker,
		Waiters: x.waiters, Settings: x.settings, Lists: x.takeover.Lists,
		Health: x.health, Log: p.Logger, Metrics: p.Metrics, Observer: p.Observer, Hints: x.share, Gaps: x.gaps,
		Due: x.due, Reports: x.reporter, Removals: x.sweeper, Directory: x.market.directory, Ready: x.Ready,
		BeforeWrite: x.shop.prober.BeforeWrite, Info: x.shop.prober.Info, Diagnosed: x.shop.prober.Diagnosed,
		Concurrency: p.Concurrency, AllCalls: p.AllCalls, Scarce: p.Scarce,
	})
	x.shop.drift = drift.New(drift.Options{
		Shop: p.Shop, Info: x.shop.prober.Info, Breaker: x.shop.breaker, Health: x.health, Store: p.Store, Log: p.Logger,
		Settings: &p.Settings, Metrics: p.Metrics, Resynced: x.resynced, Due: x.due, Owed: x.reporter.Notify,
		Ready: x.resyncStands, Visitor: p.Visitor,
	})
	x.shop.overdue = outbox.Overdue{
		Store: p.Store, Shop: x.shop.breaker, Health: x.health, Settings: &p.Settings,
		Owed: x.reporter.Notify,
	}
	x.forgetter = &forget.Forgetter{Store: p.Store, Health: x.health, Log: p.Logger}
}

// resyncStands reports whether the last enumeration was complete and looks may be made.
func (x *executor) resyncStands(ctx context.Context) bool {
	_, full := x.sweeper.Last()
	return !full.At.IsZero() && full.Error == "" && x.Ready(ctx)
}

// settings are the rules as they are now: where a change of the rules of prices is held as one, a person
// may decide on it at any moment.
func (x *executor) settings(ctx context.Context) (*publication.Settings, error) {
	if !x.ruled.Load() {
		return &x.p.Settings, nil
	}
	now := x.p.Settings
	var err error
	now.Ruling, now.Unasked, err = rules.Ruling(ctx, x.p.Store)
	return &now, err
}

// languageOf is the shop's language: the first of those that are asked for.
func languageOf(r publication.Rules) string {
	if len(r.Languages) == 0 {
		return ""
	}
	return r.Languages[0]
}

// runs are what a single run of this executor needs.
func (x *executor) runs() run.Options {
	return run.Options{
		Store: x.p.Store, Market: x.p.Market, Sweeper: x.sweeper, Worker: x.worker, Reports: x.reporter,
		Shop: x.shop.prober, Drift: x.shop.drift, Overdue: x.shop.overdue,
		Directory: x.market.directory, Keys: x.p.Keys, Backlog: x, Forgetter: x.forgetter,
		ShopSide: x.shop.breaker, MarketSide: x.market.breaker, Waiters: x.waiters, Health: x.health, Log: x.p.Logger,
	}
}
