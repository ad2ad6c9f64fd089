// Package engine works for one account: it reconciles the shop with the marketplace's import list, and makes
// the reports.
//
// An [Engine] is one type whose loops are its files:
//
//	start     starts and drains the loops; take readies the store, also for changed rules
//	list      makes sweeps, and finds what is gone: page; timetable says when
//	look      looks at a publication: claim, hint, shop, settle
//	report    makes the reports that are owed
//	check     checks the shop
//	drift     compares the shop's listings with the store
//	once      makes a single run; exit says how it ends
//	plan      makes a run over a store in memory
//	gate      is the circuit breaker; health is the store's trouble and the last error
//	desk      answers a desk; metrics answers monitoring
package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"
	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Options configure an Engine. The zero value of a rule does nothing.
type Options struct {
	publication.Settings // the engine fills in Backoff
	// setting of prices and stock -> value. A change of rules without a change of a setting is held; nil: no change is
	RuleSet map[string]string

	Store    store.Store
	Shop     shopadapter.Adapter
	ShopName string
	Market   *marketplace.Reader
	Reports  *marketplace.Client
	Logger   *slog.Logger        // nil: no logging
	Redact   func(string) string // nil: there are no secrets
	Version  string              // of the program

	Concurrency int                 // publications worked on at a time
	AllCalls    *semaphore.Weighted // bounds the shop calls of all accounts; nil: no bound

	Sweep    cron.Schedule           // of incremental sweeps; nil: none
	Resync   cron.Schedule           // of enumerations; nil: none
	Variants publication.VariantMode // whether the list of product variants is followed; "": it is not
	Grace    time.Duration           // for work under way at a stop
	Install  string                  // digest that identifies the installation until its account is known

	Scarce func() bool // whether every change counts as a backlog; nil: only many do
}

// An Engine sends no request and starts no goroutine before Run or Once.
type Engine struct {
	Options
	ShopSide, MarketSide *Gate
	Health               *Health
	Metrics              *Metrics
	directory            *directory.Keeper

	due      Signal // raised when a look or a report may be due, and when one has ended
	resynced Signal
	recorder *recorder   // nil: this is no plan
	claimed  atomic.Bool // the store belongs to the token's account
	mapped   atomic.Bool // the shop's listings are in it
	noList   atomic.Bool // the shop has no list
	ruled    atomic.Bool // new rules of prices are held

	mu sync.Mutex // guards the parts' memory; never held during a store call
	schedule
	looks
	lister
	begun    map[string]time.Time // when each call of the shop under way began, by publication
	woken    time.Time            // when all owed reports became due. One owed since before may have lost its answer
	askedAt  time.Time            // of the last check that did not end Blocked; zero: none
	passedAt time.Time            // of the last check that passed
	is       shopadapter.Info     // as of then

	acknowledged atomic.Int64 // reports since the start

	slots     chan struct{} // tokens of calls that are under way or wait for AllCalls
	line      chan struct{} // token of the call that waits for AllCalls: accounts take turns
	asking    chan struct{} // one check at a time: answers are kept in their order
	comparing chan struct{}
	turn      chan struct{}                   // token of the single run that is made within the worker
	awaited   atomic.Int32                    // runs that somebody waits for, see MaxBackoff
	accepting atomic.Pointer[context.Context] // the worker's context
}

// New makes an engine.
func New(o Options) *Engine {
	o.Logger, o.Grace = cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), cmp.Or(o.Grace, 20*time.Second)
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	x := &Engine{
		Options: o, Health: newHealth(o.Logger, o.Redact, o.Store), Metrics: NewMetrics(),
		slots: make(chan struct{}, o.Concurrency), line: make(chan struct{}, 1), asking: make(chan struct{}, 1),
		comparing: make(chan struct{}, 1), turn: make(chan struct{}, 1), begun: map[string]time.Time{},
		schedule: schedule{
			claims: map[string]*claim{}, reporting: map[string]bool{},
		},
		looks: looks{
			outcomes: map[string]string{}, retrying: map[string]time.Time{},
			misread: map[string]int{}, objected: map[string]bool{},
		},
	}
	running := context.Background()
	x.accepting.Store(&running)
	x.ShopSide = newGate(sideShop, o.Logger, x.Health, x.MaxBackoff)
	x.MarketSide = newGate(sideMarketplace, o.Logger, x.Health, x.MaxBackoff)
	x.woken, x.taking, x.stuck = x.Health.started, make(chan struct{}, 1), map[string]int{}
	for _, s := range []*sweeps{&x.changes, &x.whole} {
		s.turn = make(chan struct{}, 1)
		s.last.Store(&desk.LastSweep{})
	}
	x.found.Store(1) // an earlier process may have left some
	language := ""
	if len(o.Rules.Languages) > 0 {
		language = o.Rules.Languages[0]
	}
	x.directory = directory.New(directory.Options{
		Store: o.Store, Market: o.Market, Language: language, Install: o.Install,
		StoreFailed: x.Health.Stored, Log: o.Logger,
		Told: func(tree []marketplace.CategoryNode) {
			for _, warning := range x.Rules.Unmeant(tree) {
				x.Logger.Warn("a rule cannot be meant as it is written", "rule", warning)
			}
		},
	})
	x.Health.onPanic = x.Metrics.panics.Inc
	x.Health.onStoreBack = func(ctx context.Context) {
		x.Health.Stored(errors.Join(x.followRules(ctx, time.Now()), x.wake(ctx, time.Now())))
	}
	return x
}

func (x *Engine) ready(ctx context.Context) bool {
	return x.claimed.Load() && x.mapped.Load() && x.Health.storeWorks(ctx)
}

func (x *Engine) working(ctx context.Context) bool {
	if len(x.looked()) > 0 {
		return true
	}
	now := time.Now()
	due, _, err := x.Store.Due(ctx, store.DueQuery{Classes: x.open(queueAny, now), To: store.At(now), Limit: 1})
	return err != nil || len(due) > 0
}

func (x *Engine) isRetrying() (is bool) {
	x.locked(func() { is = len(x.retrying) > 0 })
	return is
}

func (x *Engine) locked(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

// change works even after ctx has ended.
func (x *Engine) change(ctx context.Context, id string, change func(*store.Entry) bool) bool {
	n, err := x.Store.Change(context.WithoutCancel(ctx), []string{id}, change)
	x.Health.Stored(err)
	return n > 0
}

func (x *Engine) changeAll(ctx context.Context, of store.State, change func(*store.Entry) bool) {
	n, err := store.ChangeAll(ctx, x.Store, store.Query{Key: store.KeyState(of)}, change)
	if x.Health.Stored(err); n > 0 {
		x.due.Raise()
	}
}
