package probe

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	checkTimeout = 3 * time.Minute  // bounds one check of the shop
	checkRequest = 30 * time.Second // bounds each request of it: a slow shop is not down
)

// quietEvery is how often it is asked whether anything waits for a shop whose pause has run out.
const quietEvery = 2 * time.Second

// Options are what a Prober is made from. All but Currency are required.
type Options struct {
	Shop func() shopadapter.Adapter
	// of the marketplace's amounts, for a shop that can tell its own; "": nothing is compared
	Currency string
	// Said is what a check said just before, which takes the place of the first check; nil: there was none
	Said     *shopadapter.Info
	Told     func(context.Context, shopadapter.Info) error // with each check that passes, one at a time
	Resynced *breaker.Signal                               // raised after each resync
	Breaker  *breaker.Breaker                              // before the shop
	Waiters  *breaker.Waiters
	Health   *health.Health
	Store    store.Store
	Log      *slog.Logger
	Due      *breaker.Signal // raised here when publications are due
}

// Work is what else shows whether the shop is back.
type Work interface {
	// Quiet reports whether nothing is being sent to the shop, nor will be soon.
	Quiet(ctx context.Context) bool
}

// A Prober checks the shop.
type Prober struct {
	o        Options
	checking chan struct{} // holds one token during a check in a pause

	asking *semaphore.Weighted // of 1: one goroutine at a time checks, so that answers are kept in their order

	mu       sync.Mutex
	last     time.Time        // the last check in a pause
	asked    time.Time        // when the shop was last checked; zero: it is to be before the next write
	rechecks int              // how often that was wanted
	is       shopadapter.Info // as of the last check that passed
	passed   time.Time        // when that was; zero: there was none
}

// New makes a Prober.
func New(o Options) *Prober {
	return &Prober{o: o, checking: make(chan struct{}, 1), asking: semaphore.NewWeighted(1)}
}

// Check asks the shop whether it would accept a product. The error blocks one that sells in another
// currency than the marketplace.
func (p *Prober) Check(ctx context.Context) error {
	ctx, cancel := bounded(ctx, checkTimeout)
	defer cancel()
	if err := p.asking.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.asking.Release(1)
	return p.check(ctx)
}

// Diagnosed is what the check of the shop says in place of the error of a call that the shop
// refused as it refuses every one: doctor says the same. It is err where the check passes, or says
// less.
func (p *Prober) Diagnosed(ctx context.Context, err error) error {
	refused := func(e *shopadapter.Error) bool { return e != nil && e.ShopWide && e.Kind == shopadapter.Blocked }
	if !refused(shopadapter.Explain(err)) {
		return err
	}
	if said := shopadapter.Explain(p.Check(ctx)); refused(said) {
		return said
	}
	return err
}

// Run checks the shop at start until a check passes. From then on it checks while the shop refuses
// everything, and when a pause has run out and no publication waits for the shop. Blocked
// publications are tried again after a check that passes, and after a call that ends a refusal.
func (p *Prober) Run(ctx context.Context, work Work) {
	passed := p.checkAtStart(ctx)
	// since blocked publications were last tried again, and when that was seen last
	refused, refusedAt := false, time.Time{}
	for attempt := 1; ctx.Err() == nil; {
		changed, now := p.o.Breaker.Changed(), time.Now()
		s := p.o.Breaker.Status(now)
		if s.Refused {
			refused, refusedAt = true, now
		}
		switch wait := s.Until.Sub(now); {
		case s.Refused && s.Checked && wait > 0:
			breaker.Sleep(ctx, wait, changed)
		case s.Refused && s.Checked:
			p.tryAgain(ctx)
			refused = false
		case refused && p.o.Breaker.WorkedSince(refusedAt):
			// a person's run ended the refusal, and then a call succeeded, whatever a check says
			p.Unblock(ctx)
			refused = false
		case !passed: // publications that the shop blocked before it went down wait for no pause
			breaker.Sleep(ctx, max(breaker.MinPause, breaker.Backoff(attempt, breaker.MaxPause)), changed)
			attempt++
			passed = p.checkAtStart(ctx)
		case s.Paused && s.Checked && wait > 0:
			breaker.Sleep(ctx, wait, changed)
		case s.Paused && s.Checked && work.Quiet(ctx):
			p.tryAgain(ctx)
		case s.Paused && s.Checked:
			breaker.Sleep(ctx, quietEvery, changed)
		default:
			breaker.Sleep(ctx, breaker.Idle, changed)
		}
	}
}

func (p *Prober) checkAtStart(ctx context.Context) (passed bool) {
	if err := p.Check(ctx); err != nil {
		if ctx.Err() == nil {
			p.o.Breaker.Judge("check", breaker.OfShop(err))
		}
		return false
	}
	p.endPause(ctx)
	p.Unblock(ctx)
	return true
}

// tryAgain checks a shop that refused everything, or whose pause has run out.
func (p *Prober) tryAgain(ctx context.Context) {
	err := p.Check(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.o.Breaker.Judge("", breaker.OfCheck(err))
	default:
		p.o.Breaker.Clear()
		p.Unblock(ctx)
	}
}
