package connector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Connector reconciles a marketplace's import list with a shop.
type Connector struct {
	store  *store.Store
	market *marketplace.Client
	shop   shopadapter.Adapter
	name   string
	log    *slog.Logger
	redact func(string) string

	mapper       *mapper
	rules        Rules
	brake        Brake
	onRemoved    OnRemoved
	onDeleted    OnDeleted
	failAfter    time.Duration
	refreshAfter time.Duration
	grace        time.Duration
	sweeps       cron.Schedule
	resyncs      cron.Schedule
	webhook      WebhookOptions
	room         readingRoom
	admin        AdminOptions
	version      string

	lists        bool // the adapter can enumerate what it made
	places       chan struct{}
	engine       *engine
	bell         *bell // rung when something may be due
	shopGate     *gate
	marketGate   *gate
	reporter     *reporter
	removals     removals
	looks        *looks
	hints        *hints
	misread      *counters
	retrying     *failing // publications that met a transient error and are tried again
	progress     progress
	lastError    mishap
	storeTrouble once
	tally        tally
	metrics      *metrics
	started      time.Time

	waited     atomic.Int32 // runs that somebody waits for: backoff is short meanwhile
	onceMu     chan struct{}
	queue      *sweepQueue
	sweeping   chan struct{} // holds one token while a sweep is under way
	fatal      chan error    // ends the worker: the store is another account's, or damaged
	lastSweeps sweepLog
	nextSweep  atomic.Pointer[func() time.Time] // by the schedule; nil before it runs
	registered registration
	running    atomic.Pointer[context.Context] // of the worker: requests that wait end with it
	accountOK  atomic.Bool
	mapped     atomic.Bool
}

// New makes a connector. It contacts nobody and starts nothing.
func New(o Options) (*Connector, error) {
	switch {
	case o.Store == nil, o.Marketplace == nil, o.Shop == nil:
		return nil, errors.New("new connector: store, marketplace and shop are required")
	case o.Concurrency < 1:
		return nil, fmt.Errorf("new connector: concurrency %d, at least 1 is needed", o.Concurrency)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Grace <= 0 {
		o.Grace = 20 * time.Second
	}
	c := &Connector{
		store: o.Store, market: o.Marketplace, shop: o.Shop, name: o.ShopName, log: o.Logger, redact: o.Redact, version: o.Version,
		mapper: newMapper(o.Rules, o.Brake), rules: o.Rules, brake: o.Brake, onRemoved: o.OnRemoved, onDeleted: o.OnDeleted,
		failAfter: o.FailAfter, refreshAfter: o.RefreshAfter, grace: o.Grace, sweeps: o.Sweep, resyncs: o.Resync,
		webhook: o.Webhook, room: newReadingRoom(), admin: o.Admin,
		places: make(chan struct{}, o.Concurrency), engine: newEngine(), bell: newBell(),
		looks: newLooks(), hints: &hints{}, misread: newCounters(), retrying: newFailing(),
		started: time.Now(), onceMu: make(chan struct{}, 1), queue: &sweepQueue{bell: newBell()}, sweeping: make(chan struct{}, 1), fatal: make(chan error, 1),
	}
	most := func() time.Duration { return min(c.backoffMost(), gateMost) }
	c.shopGate, c.marketGate = newGate(most), newGate(most)
	_, c.shopGate.checked = o.Shop.(shopadapter.Checker)
	_, c.lists = o.Shop.(shopadapter.Lister)
	c.reporter = newReporter(c)
	c.metrics = newMetrics(c)
	c.progress.note(time.Now())
	c.removals.found()
	c.store.AfterAccept(c.bell.ring)
	return c, nil
}

// backoffMost is the longest wait between two tries.
func (c *Connector) backoffMost() time.Duration {
	if c.waited.Load() > 0 {
		return backoffOnce
	}
	return backoffMost
}

// Listeners are the open sockets that Run serves; each may be nil.
type Listeners struct {
	Webhook net.Listener
	Admin   net.Listener
}

// Run is the worker: it serves webhooks and the admin listener, sweeps on schedule, and works until ctx ends. Then it drains: no new work, what is
// under way within the grace period, one last pass of the outbox. It returns nil after a drain, or the error that kept it from starting.
func (c *Connector) Run(ctx context.Context, l Listeners) error {
	if err := c.restore(); err != nil {
		return err
	}
	accept, stopAccepting := context.WithCancel(ctx)
	defer stopAccepting()
	c.running.Store(&accept)
	servers := c.serve(l)
	crons, err := c.schedule(accept)
	if err != nil {
		return err
	}
	stop := c.start(ctx)
	var background sync.WaitGroup
	for _, run := range []func(context.Context){c.sweeper, c.keepRegistered, c.watchShop, c.watchOverdue, c.watchRemovals} {
		background.Go(func() { run(accept) })
	}
	crons.Start()
	c.requestSweep(false)
	c.log.Info("worker started", "version", c.version, "shop", c.name, "store", c.store.Path())

	var fatal error
	select {
	case <-ctx.Done():
	case fatal = <-c.fatal:
	}
	c.log.Info("worker stopping")
	stopAccepting()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		servers.shutdown(c.grace)
		<-crons.Stop().Done()
		background.Wait()
		stop()
	}()
	var hopeless <-chan time.Time
	if errors.Is(fatal, store.ErrCorrupt) { // who reads a damaged file may wait for ever
		hopeless = time.After(damagedDrain)
	}
	select {
	case <-drained:
	case <-hopeless:
	}
	c.log.Info("worker stopped")
	return fatal
}

// damagedDrain is how long a worker drains whose store is damaged: nothing that it still does can be remembered.
const damagedDrain = 3 * time.Second

// runCtx ends when the worker stops accepting.
func (c *Connector) runCtx() context.Context {
	if ctx := c.running.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}

// start starts the workers and the reporter. The function it returns drains them: it is called once ctx has ended, or when all is done.
func (c *Connector) start(ctx context.Context) (stop func()) {
	fetch, stopFetching := context.WithCancel(ctx)
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	var workers sync.WaitGroup
	for range cap(c.places) {
		workers.Go(func() { c.worker(fetch, work, laneAny) })
	}
	workers.Go(func() { c.worker(fetch, work, laneUrgent) })
	reports, stopReporting := context.WithCancel(context.WithoutCancel(ctx))
	asking, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	var reporting sync.WaitGroup
	reporting.Go(func() { c.reporter.run(reports, asking) })
	return func() {
		stopFetching()
		late := time.AfterFunc(c.grace, abandon)
		workers.Wait()
		stopReporting() // what it is asking ends by itself, within the time of the last pass
		tooLate := time.AfterFunc(lastPass, hangUp)
		reporting.Wait()
		c.reporter.lastPass(asking)
		tooLate.Stop()
		hangUp()
		late.Stop()
		abandon()
	}
}

// lastPass bounds the last pass of the outbox; what it does not reach is owed at the next start.
const lastPass = 5 * time.Second

// schedule sets up the sweeps. Skip stands before Recover, since the job's token is not given back when a panic passes it.
func (c *Connector) schedule(ctx context.Context) (*cron.Cron, error) {
	log := cronLog{c.log}
	crons := cron.New(cron.WithLocation(time.UTC), cron.WithLogger(log), cron.WithChain(cron.SkipIfStillRunning(log), cron.Recover(log)))
	if c.sweeps != nil {
		id := crons.Schedule(c.sweeps, cron.FuncJob(func() { c.requestSweep(false) }))
		next := func() time.Time { return crons.Entry(id).Next }
		c.nextSweep.Store(&next)
	}
	if c.resyncs != nil {
		crons.Schedule(c.resyncs, cron.FuncJob(func() { c.requestSweep(true) }))
	}
	return crons, ctx.Err()
}

// cronLog says what cron says: the everyday at debug level.
type cronLog struct{ log *slog.Logger }

func (l cronLog) Info(msg string, kv ...any) { l.log.Debug("schedule", append(kv, "what", msg)...) }

func (l cronLog) Error(err error, msg string, kv ...any) {
	l.log.Error("schedule failed", append(kv, "error", err, "what", msg)...)
}

// claimAccount ties the store to the token's account.
func (c *Connector) claimAccount(ctx context.Context) error {
	if c.accountOK.Load() {
		return nil
	}
	account, err := c.market.Account(ctx)
	if err != nil {
		return fmt.Errorf("ask for the account: %w", err)
	}
	if err := c.store.Claim(account); err != nil {
		return err
	}
	c.accountOK.Store(true)
	return nil
}
