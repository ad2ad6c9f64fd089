package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/connector/worker/look"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Options is what a Worker needs.
type Options struct {
	Store         store.Store
	Market        *marketplace.Reader
	Shop          func() shopadapter.Adapter // the adapter with the credentials of now
	ShopBreaker   *breaker.Breaker
	MarketBreaker *breaker.Breaker
	Waiters       *breaker.Waiters
	Settings      func(context.Context) (*publication.Settings, error) // as they are now
	Lists         func() bool                                          // whether the shop can list what it holds of ours
	Health        *health.Health
	Log           *slog.Logger
	Metrics       Metrics
	Observer      look.Observer // nil: no one is told
	Hints         *quota.Share  // what looks that unsigned webhooks lead to may cost
	Gaps          *quota.Gaps   // how soon webhooks may lead to another look
	Due           *breaker.Signal
	Reports       look.Reports
	Removals      Removals
	Directory     look.Directory
	Ready         func(ctx context.Context) bool // whether looks may be made
	// is called before each write, which is not made where it returns an error; may be nil
	BeforeWrite func(context.Context) error
	Info        func(context.Context) shopadapter.Info // what the shop said of itself when it was last checked
	// says in the words of the shop's check why a call failed; may be nil
	Diagnosed   func(context.Context, error) error
	Concurrency int                 // publications worked on at a time
	AllCalls    *semaphore.Weighted // as of [call.Options]
	Scarce      func() bool         // nil, or whether every change counts as a backlog
}

// Removals is the sweeper as far as a worker knows it.
type Removals interface {
	look.Removals
	// HintSpent tells that a look of an unsigned webhook has ended.
	HintSpent()
}

// Metrics counts what a worker does.
type Metrics interface {
	look.Metrics
	ShopCalled(took time.Duration, err error)
}

// A Worker works off the due set: its schedule says what is next, and its looks call the shop.
type Worker struct {
	schedule *schedule.Schedule
	looks    *look.Looks
	calls    *call.Calls

	shop   *breaker.Breaker
	market *breaker.Breaker
	due    *breaker.Signal
	ready  func(ctx context.Context) bool
	health *health.Health
}

// New makes a worker. It starts nothing.
func New(o Options) *Worker {
	w := &Worker{shop: o.ShopBreaker, market: o.MarketBreaker, due: o.Due, ready: o.Ready, health: o.Health}
	w.schedule = schedule.New(schedule.Options{
		Store: o.Store, Market: o.Market, Hints: o.Hints, Gaps: o.Gaps, Due: o.Due, HintSpent: o.Removals.HintSpent,
		Scarce: o.Scarce,
	})
	w.calls = call.New(call.Options{
		Breaker: o.ShopBreaker, Health: o.Health, Called: o.Metrics.ShopCalled, Slots: o.Concurrency, All: o.AllCalls,
		Diagnosed: o.Diagnosed,
	})
	w.looks = look.New(look.Options{
		Schedule: w.schedule, Store: o.Store, Health: o.Health, Log: o.Log, Metrics: o.Metrics,
		Market: o.Market, MarketBreaker: o.MarketBreaker, Waiters: o.Waiters, Directory: o.Directory,
		Settings: o.Settings, Lists: o.Lists,
		Shop: o.Shop, ShopBreaker: o.ShopBreaker, Calls: w.calls, BeforeWrite: o.BeforeWrite, Info: o.Info,
		Reports: o.Reports, Removals: o.Removals, Due: o.Due, Observer: o.Observer,
	})
	return w
}

// Run works off the due set until ctx ends; what has begun by then goes on under work. It has a
// goroutine for each slot of the shop, one for what somebody waits for, and one for prices by
// changed rules.
func (w *Worker) Run(ctx, work context.Context) {
	var all sync.WaitGroup
	for range w.calls.Slots() {
		all.Go(func() { w.work(ctx, work, schedule.Any) })
	}
	all.Go(func() { w.work(ctx, work, schedule.Urgent) })
	all.Go(func() { w.work(ctx, work, schedule.Rules) })
	all.Wait()
	w.looks.Flush()
}

// work works off a queue until ctx ends.
func (w *Worker) work(ctx, work context.Context, q schedule.Queue) {
	for ctx.Err() == nil {
		due, shop, market := w.due.Raised(), w.shop.Changed(), w.market.Changed()
		if wait, did := w.step(ctx, work, q); !did {
			breaker.Sleep(ctx, wait, due, shop, market)
		}
	}
}

// turnWait is how long a goroutine waits while the shop's breaker lets one through at a time.
const turnWait = 50 * time.Millisecond

// step claims what is next in a queue and looks at it, or says how long there is nothing to do.
func (w *Worker) step(ctx, work context.Context, q schedule.Queue) (wait time.Duration, did bool) {
	now := time.Now()
	if t := w.shop.Status(now); t.Open {
		return t.Wait(now), false
	}
	if t := w.market.Status(now); t.Open {
		return t.Wait(now), false
	}
	if !w.ready(ctx) {
		return time.Second, false
	}
	leave, ok := w.shop.Enter()
	if !ok { // the goroutine that was let in may find its queue empty, and raises no signal then
		return turnWait, false
	}
	defer func() { leave(did) }()
	c, wait, ok, err := w.schedule.Next(ctx, q)
	if err != nil {
		w.health.StoreFailed(err)
		return time.Second, false
	}
	if !ok {
		return wait, false
	}
	w.looks.Look(ctx, work, c)
	return 0, true
}
