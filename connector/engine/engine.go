// Package engine is what works for one account: it lists the marketplace's import list, looks at the
// publications that are due, calls the shop, reports, and compares what stands in the shop.
//
// An [Engine] is one type whose loops are its files:
//
//	start        restores what the last process left, starts the loops and drains them; take readies the store
//	list         makes the sweeps that are asked for, by timetable too: page, variants, absent
//	rules        makes due what the merchant's rules change
//	look         chooses what is next, buys its points, and makes its look: claim, hint, read, shop, settle
//	report       makes the reports that are owed
//	check        asks the shop what it is and whether it is back, in a pause too
//	drift        compares what stands in the shop with the store, and visits a page of it
//	once         a single run; exit says how it ends
//	plan         a run over a store in memory, with a shop that is told nothing (planned)
//	gate         stands before the shop and the marketplace; health is the store's trouble and the last error
//	desk         what a desk asks; metrics is what monitoring reads
package engine

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
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

// Options are what an Engine is made from. The zero value of a rule does nothing.
type Options struct {
	publication.Settings // but Backoff and HoldsRules, which the engine fills in
	// setting of prices and stock -> digest of its value: a change of the rules without a change of a setting is held;
	// nil: none is
	RuleSet map[string]string

	Store    store.Store
	Shop     shopadapter.Adapter
	ShopName string // the adapter's name, for logs
	Market   *marketplace.Reader
	Reports  *marketplace.Client // the marketplace that reports are made to
	Logger   *slog.Logger        // nil: nothing is logged
	Redact   func(string) string // removes secrets from a text; nil: there are none
	Version  string              // of the program

	Concurrency int                 // publications worked on at a time
	AllCalls    *semaphore.Weighted // bounds the calls of all accounts of the process at a time; nil: it does not

	Sweep    cron.Schedule           // incremental sweeps; nil: none
	Resync   cron.Schedule           // enumerations; nil: none
	Variants publication.VariantMode // whether the list of product variants is followed; "": it is not
	Grace    time.Duration           // for work under way when the worker stops
	Install  string                  // tells this installation from others until its account is known: a digest

	Scarce  func() bool  // whether every change counts as a backlog; nil: many do
	Visitor *http.Client // sees the page of a product once a day, see NewVisitor; nil: none is seen
}

// An Engine works for one account. It sends no request and starts no goroutine before Run or Once.
type Engine struct {
	Options
	ShopSide, MarketSide *Gate
	Waiters              *Waiters
	Health               *Health
	Metrics              *Metrics
	directory            *directory.Keeper
	// Secrets reads the secrets again, and reports whether the marketplace's token is new; nil: they never change
	Secrets func(context.Context) (token bool)

	due      *Signal // raised when a look or a report may be due, and when one has ended
	resynced *Signal // raised at the end of each complete enumeration
	shop     atomic.Pointer[shopadapter.Adapter]
	recorder *recorder   // of a plan; nil: this is none
	ruled    atomic.Bool // what the rules of prices move is held

	mu sync.Mutex // guards what the parts keep in memory; the store is never called with it held
	schedule
	calls
	looks
	lister
	reporter
	prober
	taken

	comparing chan struct{}                   // holds a token while the shop's listings are compared
	turn      chan struct{}                   // holds a token while a single run is made within the worker
	accepting atomic.Pointer[context.Context] // the worker's context: requests that wait end with it
}

// New makes an engine.
func New(o Options) *Engine {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Grace <= 0 {
		o.Grace = 20 * time.Second
	}
	x := &Engine{
		Options: o, Waiters: &Waiters{}, Health: newHealth(o.Logger, o.Redact, o.Store), Metrics: NewMetrics(),
		due: NewSignal(), resynced: NewSignal(),
		comparing: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		schedule: schedule{
			claims: map[string]*claim{}, reporting: map[string]bool{},
		},
		looks: looks{
			rest: map[string]bool{}, retrying: map[string]time.Time{},
			misread: map[string]int{}, objected: map[string]bool{},
		},
		calls: calls{
			slots: make(chan struct{}, o.Concurrency), line: make(chan struct{}, 1), begun: map[string]time.Time{},
		},
	}
	x.Backoff = func(id string, tries int) time.Duration { // retries are quick while somebody waits for a run
		return backoffOf(id, tries, x.Waiters.MaxBackoff())
	}
	x.ShopSide = newGate(partShop, o.Logger, x.Health, x.Waiters.MaxBackoff)
	x.MarketSide = newGate(partMarketplace, o.Logger, x.Health, x.Waiters.MaxBackoff)
	x.UseShop(o.Shop)
	x.reporter = reporter{attempts: map[string]attempt{}, woken: x.Health.started}
	x.asked, x.removal, x.taking = NewSignal(), NewSignal(), make(chan struct{}, 1)
	for _, s := range []*sweeps{&x.changes, &x.whole} {
		s.turn = make(chan struct{}, 1)
		s.last.Store(&desk.LastSweep{})
	}
	x.found.Store(1) // an earlier process may have left some
	x.prober = prober{asking: make(chan struct{}, 1)}
	language := ""
	if len(o.Rules.Languages) > 0 {
		language = o.Rules.Languages[0]
	}
	x.directory = directory.New(directory.Options{
		Store: o.Store, Market: o.Market, Language: language, Install: o.Install,
		StoreFailed: x.Health.Stored, Log: o.Logger, Told: x.judgeRules,
	})
	x.Health.onPanic = x.Metrics.panics.Inc
	x.Health.onStoreBack = func(ctx context.Context) {
		x.Health.Stored(errors.Join(x.followRules(ctx, time.Now()), x.wake(ctx, time.Now())))
	}
	return x
}

// UseShop has calls from now on go to an adapter with other credentials.
func (x *Engine) UseShop(shop shopadapter.Adapter) { x.shop.Store(&shop) }

func (x *Engine) adapter() shopadapter.Adapter { return *x.shop.Load() }

// rereadSecrets reads the secrets again, and reports whether the marketplace's token is new.
func (x *Engine) rereadSecrets(ctx context.Context) (token bool) {
	return x.Secrets != nil && x.Secrets(ctx)
}

// judgeRules warns of rules that go by a category that the marketplace does not have.
func (x *Engine) judgeRules(tree []marketplace.CategoryNode) {
	for _, warning := range x.Rules.Unmeant(tree) {
		x.Logger.Warn("a rule cannot be meant as it is written", "rule", warning)
	}
}

// settings are the rules as they are now: a person may decide at any moment on rules that are held.
func (x *Engine) settings(ctx context.Context) (_ *publication.Settings, err error) {
	now := x.Settings
	if x.ruled.Load() {
		book, _, failed := publication.MetaRules.Get(ctx, x.Store)
		now.HoldsRules, err = book.Held != "", failed
	}
	return &now, err
}

// ready reports whether looks and reports may be made: take has readied the store, and it can be written.
func (x *Engine) ready(ctx context.Context) bool { return x.isTaken() && x.Health.storeWorks(ctx) }

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

// locked calls f with the engine's mutex held. f never calls the store.
func (x *Engine) locked(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

// change changes what is held of one publication, also where the caller is being stopped, and reports whether it did.
func (x *Engine) change(ctx context.Context, id string, change func(*store.Entry) bool) bool {
	n, err := x.Store.Change(context.WithoutCancel(ctx), []string{id}, change)
	x.Health.Stored(err)
	return n > 0
}

// changeAll changes what is held of all publications of a state, and returns how many it changed.
func (x *Engine) changeAll(ctx context.Context, of store.State, change func(*store.Entry) bool) int {
	n, err := store.ChangeAll(ctx, x.Store, store.Query{Key: store.KeyState(of)}, change)
	x.Health.Stored(err)
	return n
}
