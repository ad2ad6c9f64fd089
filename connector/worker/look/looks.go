package look

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Options are what Looks are made from.
type Options struct {
	Schedule *schedule.Schedule
	Store    store.Store
	Health   *health.Health
	Log      *slog.Logger
	Metrics  Metrics

	Market        *marketplace.Reader
	MarketBreaker *breaker.Breaker
	Waiters       *breaker.Waiters
	Directory     Directory

	Decider Decider

	Shop        func() shopadapter.Adapter // the adapter with the credentials of now
	ShopBreaker *breaker.Breaker
	Calls       *call.Calls
	// is called before each write, which is not made where it returns an error; may be nil
	BeforeWrite func(context.Context) error
	Info        func(context.Context) shopadapter.Info // what the shop said of itself when it was last checked

	Reports  Reports
	Removals Removals
	Due      *breaker.Signal
	Observer Observer // nil: none is told
}

// A Decider says what is to be done about a publication. See [publication.Decider].
type Decider interface {
	Decide(r store.Record, m store.Mark, seen publication.Seen) publication.Decision
	DecideFigures(
		r store.Record, m store.Mark, seen marketplace.Figures, at time.Time,
	) (d publication.Decision, ok bool)
	RefreshesFigures(r store.Record, m store.Mark, now time.Time) bool
	ReadsDetails(r store.Record, m store.Mark, now time.Time) bool
	Reprice(r store.Record, m store.Mark, now time.Time) (d publication.Decision, ok bool)
	ReadLater(r store.Record, m store.Mark, now time.Time) store.Settlement
	Skip(r store.Record, m store.Mark, now time.Time) store.Settlement
}

// Reports is the outbox as far as looks know it.
type Reports interface {
	// UnderWay is closed when the report of a publication that is under way has ended; nil where
	// none is.
	UnderWay(id string) <-chan struct{}
	// Notify tells that something may be owed.
	Notify()
}

// Removals is the sweeper as far as looks know it.
type Removals interface {
	// FoundRemoval tells that a removal waits for the brake.
	FoundRemoval()
}

// Directory is the marketplace's tree of categories as far as looks know it.
type Directory interface {
	// Categorize records in a publication the branch that its category stands in.
	Categorize(ctx context.Context, p *marketplace.Publication)
}

// Metrics counts what looks do.
type Metrics interface {
	Looked(took time.Duration)
	Failed(kind shopadapter.Kind)
}

// Observer is told what looks do: a plan records it.
type Observer interface {
	// Sent is called with a decision whose step the shop has carried out.
	Sent(d publication.Decision)
	// Settled is called with a decision that ends a look.
	Settled(d publication.Decision)
}

// Looks makes looks.
type Looks struct {
	schedule *schedule.Schedule
	store    store.Store
	health   *health.Health
	metrics  Metrics

	market    *marketplace.Reader
	breaker   *breaker.Breaker // before the marketplace
	waiters   *breaker.Waiters
	directory Directory
	reports   Reports

	decider Decider
	carrier *carrier
	settler *settler

	misread   failures
	announced announced
	missing   atomic.Int64 // looks in a row at new entries that do not exist
}

// New makes Looks.
func New(o Options) *Looks {
	return &Looks{
		schedule: o.Schedule, store: o.Store, health: o.Health, metrics: o.Metrics,
		market: o.Market, breaker: o.MarketBreaker, waiters: o.Waiters, directory: o.Directory, reports: o.Reports,
		decider: o.Decider,
		carrier: &carrier{
			store: o.Store, shop: o.Shop, breaker: o.ShopBreaker, calls: o.Calls, health: o.Health, log: o.Log,
			beforeWrite: o.BeforeWrite, info: o.Info, observer: o.Observer,
		},
		settler: &settler{
			store: o.Store, shop: o.ShopBreaker, health: o.Health, log: o.Log, failed: o.Metrics.Failed,
			reports: o.Reports, removals: o.Removals, due: o.Due, observer: o.Observer, teller: teller{log: o.Log},
		},
	}
}

// Announce has looks at a publication repeated six times while they find it older than updatedAt, or
// not at all.
func (l *Looks) Announce(id, updatedAt string) { l.announced.add(id, updatedAt) }

// Flush logs the sum of a burst of changes. It is called when no look is made any longer.
func (l *Looks) Flush() { l.settler.teller.flush() }

// Did is what was done since the start.
func (l *Looks) Did() Counts { return l.settler.counter.counts() }

// Misread is how many publications have content that could not be read at the last try.
func (l *Looks) Misread() int { return l.misread.len() }

// Retrying is the publications that met a transient error and are tried again.
func (l *Looks) Retrying() *Retries { return &l.settler.retrying }

// AwaitsPictures reports whether a late picture is asked for again soon.
func (l *Looks) AwaitsPictures(now time.Time) bool { return l.settler.late.waits(now) }
