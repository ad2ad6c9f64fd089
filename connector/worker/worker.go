package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/quota"
	"github.com/pubsync/pubsync/connector/worker/call"
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
	Decider       Decider
	Health        *health.Health
	Log           *slog.Logger
	Metrics       Metrics
	Observer      Observer     // nil: no one is told
	Hints         *quota.Share // what looks that unsigned webhooks lead to may cost
	Gaps          *quota.Gaps  // how soon webhooks may lead to another look
	Due           *breaker.Signal
	Reports       Reports
	Removals      Removals
	Directory     Directory
	Ready         func(context.Context) bool // whether looks may be made
	// is asked before each write: an error keeps it from being made; nil: nothing does
	BeforeWrite func(context.Context) error
	Concurrency int         // publications worked on at a time
	Scarce      func() bool // nil, or whether every change counts as a backlog
}

// A Decider says what is to be done about a publication. See [publication.Decider].
type Decider interface {
	Decide(r store.Record, m store.Mark, seen publication.Seen) publication.Decision
	DecideFigures(
		r store.Record,
		m store.Mark,
		seen marketplace.Figures,
		at time.Time,
	) (d publication.Decision, ok bool)
	Reprice(r store.Record, m store.Mark, now time.Time) (d publication.Decision, ok bool)
	ReadLater(r store.Record, m store.Mark, now time.Time) store.Settlement
	Skip(r store.Record, m store.Mark, now time.Time) store.Settlement
}

// Reports is the outbox as far as a worker knows it.
type Reports interface {
	// UnderWay is closed when the report of a publication that is under way has ended; nil where
	// none is.
	UnderWay(id string) <-chan struct{}
	// Notify tells that something may be owed.
	Notify()
}

// Removals is the sweeper as far as a worker knows it.
type Removals interface {
	// FoundRemoval tells that a removal waits for the brake.
	FoundRemoval()
	// HintSpent tells that a look of an unsigned webhook has ended.
	HintSpent()
}

// Directory is the marketplace's tree of categories as far as a worker knows it.
type Directory interface {
	// Place notes in a publication the branch that its category stands in.
	Place(ctx context.Context, p *marketplace.Publication)
}

// Metrics counts what a worker does.
type Metrics interface {
	Looked(took time.Duration)
	ShopCalled(took time.Duration, err error)
	Failed(kind shopadapter.Kind)
}

// Observer is told what looks do: a plan writes it down.
type Observer interface {
	// Sent is told of a decision whose step the shop has carried out.
	Sent(d publication.Decision)
	// Settled is told of a decision that ends a look.
	Settled(d publication.Decision)
}

// A Worker works off the due set. What is being worked on is known in memory alone: a mark stays in
// the store until its work has settled.
type Worker struct {
	store         store.Store
	market        *marketplace.Reader
	shop          func() shopadapter.Adapter
	shopBreaker   *breaker.Breaker
	marketBreaker *breaker.Breaker
	waiters       *breaker.Waiters
	decider       Decider
	health        *health.Health
	log           *slog.Logger
	metrics       Metrics
	observer      Observer
	hints         *quota.Share
	gaps          *quota.Gaps
	due           *breaker.Signal
	reports       Reports
	removals      Removals
	directory     Directory
	ready         func(context.Context) bool
	beforeWrite   func(context.Context) error
	scarce        func() bool

	calls     *call.Calls
	misread   failures
	awaited   awaited
	rulesWait atomic.Bool
	misses    atomic.Int64 // looks in a row at new entries that do not exist
	retrying  retries
	late      lateness
	counter   counter

	mu       sync.Mutex
	claimed  map[string]store.Class
	backlog  bool            // more changes are due than the points pay for: their figures are read first
	figuring int             // looks by figures that are under way
	idle     *breaker.Signal // raised whenever a piece of work has ended
	turns    atomic.Uint64
	rests    restShare
}

// New makes a worker. It starts nothing.
func New(o Options) *Worker {
	calls := call.New(call.Options{
		Breaker: o.ShopBreaker, Health: o.Health, Called: o.called, Slots: o.Concurrency,
	})
	return &Worker{
		calls: calls, store: o.Store, market: o.Market, shop: o.Shop, shopBreaker: o.ShopBreaker, marketBreaker: o.MarketBreaker, waiters: o.Waiters, decider: o.Decider,
		health: o.Health, log: o.Log, metrics: o.Metrics, observer: o.Observer, hints: o.Hints, gaps: o.Gaps, due: o.Due, reports: o.Reports, removals: o.Removals, directory: o.Directory, ready: o.Ready, beforeWrite: o.BeforeWrite, scarce: o.Scarce,
		claimed: map[string]store.Class{}, idle: breaker.NewSignal(),
	}
}

// called counts a call of the adapter.
func (o Options) called(took time.Duration, err error) { o.Metrics.ShopCalled(took, err) }

// Run works off the due set until ctx ends; what has begun then goes on under work. Of two more
// workers than the shop takes calls one looks at nothing but what somebody waits for, and one makes
// the prices that other rules ask for.
func (w *Worker) Run(ctx, work context.Context) {
	var lanes sync.WaitGroup
	for range w.calls.Slots() {
		lanes.Go(func() { w.work(ctx, work, laneAny) })
	}
	lanes.Go(func() { w.work(ctx, work, laneUrgent) })
	lanes.Go(func() { w.work(ctx, work, laneRules) })
	lanes.Wait()
}

// priorityOf is the place of a class in the queue for the marketplace's points.
func priorityOf(c store.Class) marketplace.Priority {
	switch c {
	case store.ClassAsked, store.ClassHook:
		return marketplace.Urgent
	case store.ClassNew:
		return marketplace.News
	case store.ClassSweep, store.ClassHint, store.ClassRules:
		return marketplace.Sweep
	case store.ClassFull:
		return marketplace.Resync
	default:
		return marketplace.Refresh
	}
}

// work works off the due set in a lane until ctx ends; what it has begun then goes on under work.
func (w *Worker) work(ctx, work context.Context, l lane) {
	for ctx.Err() == nil {
		due, shop, market := w.due.Raised(), w.shopBreaker.Changed(), w.marketBreaker.Changed()
		wait, did := w.step(ctx, work, l)
		if did {
			continue
		}
		breaker.Sleep(ctx, wait, due, shop, market)
	}
}

// probeWait is how long a worker waits for its turn while one at a time is let through.
const probeWait = 50 * time.Millisecond

// step does one piece of work, or says how long there is none.
func (w *Worker) step(ctx, work context.Context, l lane) (wait time.Duration, did bool) {
	now := time.Now()
	if t := w.shopBreaker.Status(now); t.Open {
		return t.Wait(now), false
	}
	if t := w.marketBreaker.Status(now); t.Open {
		return t.Wait(now), false
	}
	if !w.ready(ctx) {
		return time.Second, false
	}
	leave, ok := w.shopBreaker.Enter()
	if !ok { // whoever was let in may find nothing for its lane, and tells nobody
		return probeWait, false
	}
	defer func() { leave(did) }()
	m, next, from, ok, err := w.claimNext(ctx, l)
	if err != nil {
		w.health.StoreFailed(err)
		return time.Second, false
	}
	if !ok {
		return w.untilDue(l, next, now), false
	}
	figures := false // whoever looks at several ends their claims
	defer func() {
		if !figures {
			w.unclaim(ctx, m)
		}
	}()

	e, err := w.store.Get(ctx, m.ID)
	if err != nil {
		w.health.StoreFailed(err)
		return time.Second, false
	}
	if publication.Needless(m, e.Record) || publication.Figured(m, e.Record) {
		w.skip(ctx, m, e.Record)
		return 0, true
	}
	if publication.Reprices(m) {
		w.reprice(work, m)
		return 0, true
	}
	if w.reports.UnderWay(m.ID) == nil && w.byFigures(ctx, m, e.Record, now) {
		figures = true
		w.lookByFigures(ctx, work, l, from, claimedLook{m, len(e.Record.Variants)})
		return 0, true
	}
	if w.sifts(m, e.Record) {
		figures = true
		w.sift(ctx, work, m)
		return 0, true
	}
	adm, err := w.admit(ctx, from.priority(m.Class))
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return 0, true // the mark is as it was
	case err != nil:
		w.notRead(ctx, m, err)
		return 0, true
	}
	if urgent, ok := w.moreUrgent(ctx, l, from, m, now); ok {
		w.unclaim(ctx, m)
		m = urgent
		if e, err := w.store.Get(ctx, m.ID); err == nil && w.reports.UnderWay(m.ID) == nil &&
			w.byFigures(ctx, m, e.Record, time.Now()) {
			adm.Release()
			figures = true
			w.lookByFigures(ctx, work, l, from, claimedLook{m, len(e.Record.Variants)})
			return 0, true
		}
	}
	w.process(work, m, adm)
	return 0, true
}

// moreUrgent claims what goes before m, which was chosen at a time, where the points for it were
// long in coming.
func (w *Worker) moreUrgent(ctx context.Context, l, from lane, m store.Mark, chosen time.Time) (store.Mark, bool) {
	if time.Since(chosen) < longComing {
		return m, false
	}
	urgent, _, ok, err := w.claim(ctx, l, from.before(m.Class))
	return urgent, err == nil && ok
}

// longComing is how long the points for a look may take before it is asked whether another has
// become more urgent.
const longComing = 10 * time.Millisecond

// patientWait is how long a look that nobody waits for keeps its claim without points. More urgent
// ones may go before it for hours, and meanwhile its own mark may have become urgent.
const patientWait = 30 * time.Second

// admit waits for the points of one reading; the error is [context.DeadlineExceeded] where a look
// that nobody waits for is to be chosen anew.
func (w *Worker) admit(ctx context.Context, p marketplace.Priority) (*marketplace.Admission, error) {
	if p >= marketplace.Resync {
		limited, cancel := context.WithTimeout(ctx, patientWait)
		defer cancel()
		ctx = limited
	}
	return w.market.Admit(ctx, p)
}

// untilDue is how long a lane waits where the first mark becomes due at next, 0 for never.
func (w *Worker) untilDue(l lane, next store.Instant, now time.Time) time.Duration {
	wait := breaker.Idle
	if next != 0 {
		wait = min(wait, max(next.Time().Sub(now), time.Millisecond))
	}
	if until := w.hints.Overdrawn(now); until > 0 && l == laneAny {
		wait = min(wait, until)
	}
	return wait
}

// process looks at one publication. While a report of it is under way it gives its points back,
// since the report may be waiting for them, and leaves the mark to be claimed again. A panic on the
// way is one publication's trouble and is recorded as such.
func (w *Worker) process(ctx context.Context, m store.Mark, adm *marketplace.Admission) {
	defer adm.Release()
	defer w.recovered(ctx, m)
	if reported := w.reports.UnderWay(m.ID); reported != nil {
		adm.Release()
		select {
		case <-reported:
		case <-ctx.Done():
		}
		return
	}
	start := time.Now()
	w.gaps.Begin(m, start)
	w.reconcile(ctx, m, adm)
	w.metrics.Looked(time.Since(start))
}

// recovered is deferred: a panic is one publication's trouble.
func (w *Worker) recovered(ctx context.Context, m store.Mark) {
	if p := recover(); p != nil {
		w.fail(ctx, m, shopadapter.Retry("%s", w.health.Recovered(p, "publication", m.ID)))
	}
}

// MinCall is what a call may take in a run however short its patience is.
const MinCall = call.Least

// Slots is how many calls of the adapter may be under way.
func (w *Worker) Slots() int { return w.calls.Slots() }

// Failing is since when each call of the adapter has met what time may mend, zero where the last one
// has not.
func (w *Worker) Failing() time.Time { return w.calls.Failing() }

// Hung are the publications whose calls are under way after their deadline in a run: deadline(begun)
// is that of a call that began then.
func (w *Worker) Hung(deadline func(begun time.Time) time.Time, now time.Time) map[string]bool {
	return w.calls.Hung(deadline, now)
}

// JudgeShop tells the shop's breaker how a call ended: whether the shop as a whole is in trouble, or
// one publication.
func (w *Worker) JudgeShop(ctx context.Context, id string, err error) { w.calls.Judge(ctx, id, err) }
