package sweep

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Options is what a Sweeper needs.
type Options struct {
	Store   store.Store
	Market  *marketplace.Reader
	Breaker *breaker.Breaker // before the marketplace
	Waiters *breaker.Waiters
	Health  *health.Health
	Log     *slog.Logger
	Brake   publication.Brake
	Hints   Hints

	Due      *breaker.Signal // raised here when publications are due for a look
	Resynced *breaker.Signal // raised here at the end of each complete enumeration
	Reports  Reports
	Keeper   Keeper
	Terms    Terms
	Metrics  Metrics

	Incremental, Full cron.Schedule // nil: none
	Install           string        // used as the account until the store knows that

	Variants publication.VariantMode // whether the list of product variants is followed; "": it is not
}

// Reports is the outbox as a sweeper uses it.
type Reports interface {
	// Notify says that a report may be owed.
	Notify()
}

// Keeper readies the store for a list.
type Keeper interface {
	// Prepare is called before each list, once the marketplace's schema is known. Its error keeps
	// the list from being read.
	Prepare(ctx context.Context) error
}

// Terms are the shop's currency and tax.
type Terms interface {
	// RecheckTerms has them asked for before the next write.
	RecheckTerms()
}

// Hints is the budget of sweeps that unsigned webhooks lead to.
type Hints interface {
	// Open reports whether the budget allows a sweep now.
	Open(now time.Time) bool
	// Wait is how long until it allows one, at most so long.
	Wait(now time.Time, most time.Duration) time.Duration
	// Spend charges points at a restore rate.
	Spend(points, restoreRate float64, now time.Time)
}

// Metrics counts sweeps.
type Metrics interface {
	Swept(ctx context.Context, full bool, err error)
	PassedOver(entries int)
}

// A Sweeper makes sweeps, one at a time.
type Sweeper struct {
	store   store.Store
	market  *marketplace.Reader
	breaker *breaker.Breaker
	waiters *breaker.Waiters
	health  *health.Health
	log     *slog.Logger
	brake   publication.Brake
	hints   Hints
	due     *breaker.Signal
	reports Reports
	keeper  Keeper
	terms   Terms
	metrics Metrics

	incremental, full cron.Schedule
	install           string
	variants          variants
	times             atomic.Pointer[Timetable] // nil before Schedule

	queue    queue
	last     history
	resynced *breaker.Signal
	removals atomic.Bool       // the brake has removals to judge
	removal  *breaker.Signal   // raised when it has
	sweeping chan struct{}     // holds a token while a sweep is under way
	waiting  atomic.Int32      // sweeps of what changed that wait for it
	ended    health.LogLimiter // of the warning about sweeps that end early while the marketplace answers
	overlong health.LogLimiter // of the warning about entries that are passed over
}

// New makes a sweeper. It starts nothing.
func New(o Options) *Sweeper {
	s := &Sweeper{
		store: o.Store, market: o.Market, breaker: o.Breaker, waiters: o.Waiters, health: o.Health, log: o.Log,
		brake: o.Brake, hints: o.Hints,
		due: o.Due, reports: o.Reports, keeper: o.Keeper, terms: o.Terms, metrics: o.Metrics,
		incremental: o.Incremental, full: o.Full, install: o.Install,
		variants: variants{mode: cmp.Or(o.Variants, publication.VariantsOff), install: o.Install},
		queue:    queue{asked: breaker.NewSignal()}, resynced: o.Resynced, removal: breaker.NewSignal(),
		sweeping: make(chan struct{}, 1),
	}
	s.removals.Store(true) // an earlier process may have left some
	return s
}

// Ask has a sweep made. Asking twice before it begins is asking once.
func (s *Sweeper) Ask(kind Kind) { s.queue.ask(kind) }

// Request has an incremental sweep made, or with full an enumeration.
func (s *Sweeper) Request(full bool) {
	if full {
		s.Ask(Whole)
	} else {
		s.Ask(Changes)
	}
}

// HintSpent has the sweeper check again whether the budget of hints allows a sweep.
func (s *Sweeper) HintSpent() { s.queue.asked.Raise() }

// Asked reports whether a sweep was asked for that has not been made.
func (s *Sweeper) Asked(kind Kind) bool { return s.queue.has(kind) }

// Sweeping reports whether a sweep is under way.
func (s *Sweeper) Sweeping() bool { return len(s.sweeping) > 0 }

// Last is the last sweep of each kind.
func (s *Sweeper) Last() (incremental, full Result) { return s.last.get() }

// Schedule sets up the timetable. To be called before Run, where sweeps are to be made by schedule.
func (s *Sweeper) Schedule(ctx context.Context) error {
	account, err := store.Account(ctx, s.store)
	if err != nil {
		return err
	}
	s.times.Store(NewTimetable(s.log, cmp.Or(account, s.install), s.incremental, s.full, s.Request))
	return nil
}

// belong sets the offsets of the schedules to those of the account that the store belongs to.
func (s *Sweeper) belong(ctx context.Context) error {
	t := s.times.Load()
	if t == nil {
		return nil
	}
	account, err := store.Account(ctx, s.store)
	t.BelongTo(account)
	return err
}

// Next is when the schedule asks for the next incremental sweep, and with true for the next
// enumeration; zero where it asks for none.
func (s *Sweeper) Next(full bool) time.Time {
	if t := s.times.Load(); t != nil {
		return t.Next(full)
	}
	return time.Time{}
}

// Run makes the sweeps that are asked for, and those of the schedule, until ctx ends. Each is made
// again until it is complete.
func (s *Sweeper) Run(ctx context.Context) {
	if t := s.times.Load(); t != nil {
		t.Start()
		defer func() { <-t.Stop() }()
	}
	var whole sync.WaitGroup // in a goroutine of its own, so that it can make room
	whole.Go(func() { s.make(ctx, Whole) })
	s.make(ctx, Changes, Hinted)
	whole.Wait()
}

// make makes the sweeps of some kinds that are asked for until ctx ends.
func (s *Sweeper) make(ctx context.Context, kinds ...Kind) {
	for ctx.Err() == nil {
		asked, changed := s.queue.asked.Raised(), s.breaker.Changed()
		kind, wait, ok := s.queue.next(time.Now(), s.hints, kinds...)
		if !ok {
			breaker.Sleep(ctx, wait, asked, changed)
			if isClosed(changed) {
				s.queue.hurry()
			}
			continue
		}
		if kind == Whole && s.wanted() {
			breaker.Sleep(ctx, time.Second)
			continue
		}
		s.breaker.AwaitRetryAfter(ctx)
		s.awaitStore(ctx)
		attempts := s.queue.begin(kind) + 1
		var cost marketplace.Meter
		err := s.Once(marketplace.Metered(ctx, &cost), kind == Whole, false, NewListed())
		if kind == Hinted {
			s.hints.Spend(cost.Points(), s.market.Budget().RestoreRate, time.Now())
		}
		if err != nil {
			s.queue.failed(kind, attempts, time.Now().Add(breaker.Backoff(attempts, s.waiters.MaxBackoff())))
			continue
		}
		s.queue.made(kind)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// awaitStore waits until the store can be written: the points of a list that cannot be stored are
// wasted.
func (s *Sweeper) awaitStore(ctx context.Context) {
	for ctx.Err() == nil && !s.health.StoreWorks(ctx) {
		breaker.Sleep(ctx, time.Second)
	}
}

// Once makes one sweep and adds what it listed to into. With full it enumerates the whole list and
// finds removals; with read as well, every entry's content is read again. Once tells log, status
// and breaker how the sweep ended.
func (s *Sweeper) Once(ctx context.Context, full, read bool, into *Listed) (err error) {
	err = errMadeRoom
	for errors.Is(err, errMadeRoom) {
		err = s.once(ctx, full, read, into)
	}
	return err
}

// once makes a sweep, or a part of an enumeration.
func (s *Sweeper) once(ctx context.Context, full, read bool, into *Listed) (err error) {
	err = context.Canceled
	alone := s.aloneSoon
	if full {
		alone = s.alone
	}
	alone(ctx, func() {
		start := time.Now()
		if err = s.list(ctx, full, read, into); errors.Is(err, errMadeRoom) {
			return
		}
		if n := into.PassedOver(); n > 0 {
			s.log.Warn(
				"entries of the import list were passed over",
				"without_id", into.nameless, "without_updated_at", into.undated,
			)
			s.metrics.PassedOver(n)
		}
		if err == nil || ctx.Err() == nil { // a sweep that was stopped is no result
			s.last.record(full, start, into, err)
		}
		s.metrics.Swept(ctx, full, err)
	})
	if err == nil {
		s.health.Mended(health.Sweep)
	}
	if err == nil && full {
		s.resynced.Raise()
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errMadeRoom) {
		s.failed(ctx, err)
	}
	return err
}

// failed logs and judges the error of a sweep that ended early.
func (s *Sweeper) failed(ctx context.Context, err error) {
	var market *marketplace.Error
	var account *store.AccountError
	var shop *health.ShopError
	switch {
	case errors.As(err, &account):
		s.health.End(err)
	case errors.As(err, &market):
		if s.breaker.Judge("", breaker.OfMarketplace(err)) {
			s.health.FailedAt(health.Sweep, "", err.Error())
		}
		if untold, ok := s.ended.Allow(time.Now()); ok && !s.breaker.Status(time.Now()).Paused {
			s.log.Warn("sweep ended early, trying again", "error", err, "untold", untold)
		}
	case errors.As(err, &shop):
		s.health.FailedAt(health.Sweep, "", err.Error())
		if untold, ok := s.ended.Allow(time.Now()); ok {
			s.log.Error("sweep ended early, trying again", "error", err, "untold", untold)
		}
	default:
		s.health.StoreFailed(err)
	}
}

// list makes one sweep. A panic on the way is an error like any other.
func (s *Sweeper) list(ctx context.Context, full, read bool, into *Listed) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "sweep", Message: s.health.Recovered(p, "full", full)}
		}
	}()
	if full {
		room, cancel := s.untilWanted(ctx)
		defer cancel()
		if err = s.enumerate(room, marketplace.Resync, read, into); err != nil && room.Err() != nil &&
			ctx.Err() == nil {
			return errMadeRoom
		}
		return err
	}
	return s.listChanges(ctx, marketplace.News, into)
}
