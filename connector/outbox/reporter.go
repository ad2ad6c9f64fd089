package outbox

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
)

// Options is what a Reporter needs.
type Options struct {
	Store   store.Store
	Market  Market
	Breaker *breaker.Breaker // before the marketplace
	Waiters *breaker.Waiters
	Health  *health.Health
	Log     *slog.Logger
	Due     *breaker.Signal            // raised here when a publication is due for a look
	Ready   func(context.Context) bool // the account is known and the store can be written: requests may be made
	Started time.Time                  // of this process: an earlier one may have attempted older reports
}

// Market is the marketplace as a Reporter uses it. See [marketplace.Client].
type Market interface {
	Look(
		ctx context.Context, p marketplace.Priority, ids []string, detail bool,
	) (map[string]*marketplace.Entry, error)
	LookAndReport(
		ctx context.Context, p marketplace.Priority, reports []marketplace.Report,
		choose func(r marketplace.Report, look *marketplace.Entry) bool,
	) ([]marketplace.Result, error)
	Budget() pace.Snapshot
}

// A Reporter makes the reports that are owed, one report of a publication at a time.
//
// A report moves the publication's updatedAt, and a supplier's change may hide behind that move. So
// a light look precedes each attempt. Where it still shows the updatedAt that the content was read
// at, the updatedAt of the reply is adopted; else the content is read again. An attempt whose
// answer was lost may have been applied: before the next one, a look shows status and address.
//
// A report that the marketplace refuses stays owed, and the store knows how often it was refused
// and when. It is made again after a delay that grows to an hour, and at once after Wake. Reports
// that were never refused go first. Repeated refusals cost at most refusedShare of the points,
// unless a person waits for a run.
type Reporter struct {
	store   store.Store
	market  Market
	breaker *breaker.Breaker
	waiters *breaker.Waiters
	health  *health.Health
	log     *slog.Logger
	due     *breaker.Signal
	ready   func(context.Context) bool
	started time.Time

	owed     *breaker.Signal
	answered *breaker.Signal
	reported atomic.Int64

	mu       sync.Mutex
	underWay map[string]chan struct{} // closed when the attempt has ended
	attempts map[string]attempt       // at reports whose last attempt brought no answer
	lastAck  store.Instant
	failed   error     // of the last batch
	denied   bool      // the token may not report, as the last batch showed
	woken    time.Time // reports that were refused before are made again now
	// until then no refused report is made again: the last batch has spent their share of the
	// points. It is an hour away at most, and Wake ends it
	spared time.Time
}

// New makes a reporter. It starts nothing.
func New(o Options) *Reporter {
	return &Reporter{
		store: o.Store, market: o.Market, breaker: o.Breaker, waiters: o.Waiters, health: o.Health, log: o.Log, due: o.Due,
		ready: o.Ready, started: o.Started,
		owed: breaker.NewSignal(), answered: breaker.NewSignal(), underWay: map[string]chan struct{}{},
		attempts: map[string]attempt{}, woken: o.Started,
	}
}

// Notify says that a report may be owed, or may be made now.
func (r *Reporter) Notify() { r.owed.Raise() }

// Wake has every report made now, the refused ones among them.
func (r *Reporter) Wake(now time.Time) {
	r.retry()
	r.mu.Lock()
	r.woken, r.spared = now, time.Time{}
	r.mu.Unlock()
	r.Notify()
}

// deny records whether a batch was denied, or some of it accepted. Once a report is accepted, all
// that were denied are made again.
func (r *Reporter) deny(denied, accepted bool) {
	r.mu.Lock()
	was := r.denied
	switch {
	case accepted:
		r.denied = false
	case denied:
		r.denied = true
	}
	now := r.denied
	r.mu.Unlock()
	switch {
	case now && !was:
		r.log.Error("reports are denied, they stay owed and are tried again", "error", marketplace.ReportsDenied)
	case was && !now:
		r.log.Info("reports are accepted again")
		r.Wake(time.Now())
	}
}

// Answered is raised at the end of each attempt.
func (r *Reporter) Answered() *breaker.Signal { return r.answered }

// Reported is the number of reports that were acknowledged since the start.
func (r *Reporter) Reported() int64 { return r.reported.Load() }

// LastAck is when a report was last acknowledged.
func (r *Reporter) LastAck() store.Instant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lastAck
}

// Trouble is why the last batch could not be made, nil when it could.
func (r *Reporter) Trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// Unanswered is the number of reports whose last attempt brought no answer.
func (r *Reporter) Unanswered() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.attempts)
}

// UnderWay returns a channel that is closed when the report of a publication that is under way has
// ended, nil when none is. A look waits for it: the echo of the report in updatedAt is known then.
func (r *Reporter) UnderWay(id string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.underWay[id]
}

// Run makes reports until ctx ends; an attempt that has begun goes on under asking.
func (r *Reporter) Run(ctx, asking context.Context) {
	for ctx.Err() == nil {
		owed, market := r.owed.Raised(), r.breaker.Changed()
		now := time.Now()
		wait := breaker.Idle
		if s := r.breaker.Status(now); s.Open {
			wait = s.Wait(now)
		} else if !r.ready(ctx) {
			wait = time.Second
		} else if did, next := r.pass(asking, now, true); did {
			continue
		} else if !next.IsZero() {
			wait = max(next.Sub(now), time.Millisecond)
		}
		breaker.Sleep(ctx, wait, owed, market)
	}
}

// LastPass makes every owed report once more before the worker ends. A refused report waits for the
// next start.
func (r *Reporter) LastPass(ctx context.Context) {
	if r.breaker.Status(time.Now()).Open || !r.ready(ctx) {
		return
	}
	r.retry()
	for ctx.Err() == nil {
		if did, _ := r.pass(ctx, time.Now(), false); !did {
			return
		}
	}
}

// pass makes one batch of reports. With again it makes one of refused reports where no other is
// due. next is when the earliest waiting report may be made.
func (r *Reporter) pass(ctx context.Context, now time.Time, again bool) (did bool, next time.Time) {
	owed, next, err := r.nextBatch(ctx, now, false)
	refused := false
	if err == nil && len(owed) == 0 && again {
		var at time.Time
		refused = true
		if owed, at, err = r.nextBatch(ctx, now, true); next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if err != nil {
		r.health.StoreFailed(err)
		return false, now.Add(time.Second)
	}
	if len(owed) == 0 {
		return false, next
	}
	r.begin(owed)
	defer r.end(owed)
	var cost marketplace.Meter
	no, err := r.attempt(marketplace.Metered(ctx, &cost), owed)
	if err != nil && ctx.Err() == nil {
		r.marketFailed(ctx, "", err)
	}
	if refused && no > 0 {
		r.spare(cost.Points(), time.Now())
	}
	return true, next
}

func (r *Reporter) begin(owed []store.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range owed {
		r.underWay[o.ID] = make(chan struct{})
	}
}

func (r *Reporter) end(owed []store.Report) {
	r.mu.Lock()
	for _, o := range owed {
		close(r.underWay[o.ID])
		delete(r.underWay, o.ID)
	}
	r.mu.Unlock()
	r.answered.Raise()
}

// marketFailed judges a request that failed. id is the publication that it was about, "" for none.
func (r *Reporter) marketFailed(ctx context.Context, id string, err error) {
	r.breaker.Judge(id, breaker.OfMarketplace(err))
}

// marketAnswered records that the marketplace has answered and the store has kept the answer. ids
// are the publications whose reports it accepted.
func (r *Reporter) marketAnswered(now time.Time, ids ...string) {
	r.breaker.Succeed(now, ids...)
	r.health.Progressed(now)
}
