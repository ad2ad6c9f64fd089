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
	Settings func(context.Context) (*publication.Settings, error) // as they are now

	Market        *marketplace.Reader
	MarketBreaker *breaker.Breaker
	Waiters       *breaker.Waiters
	Directory     Directory

	Lists       func() bool                // whether the shop can list what it holds of ours, as far as is known
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
	// Sent is called with a step that the shop has carried out.
	Sent(s *publication.Settings, st publication.Step)
	// Settled is called with a step that ends a look, and the entry as it is written.
	Settled(st publication.Step, after store.Record)
}

// Looks makes looks.
type Looks struct {
	Options
	teller   teller
	counter  counter
	retrying Retries
	late     lateness
	misread  failures
	missing  atomic.Int64 // looks in a row at new entries that do not exist
}

// New makes Looks.
func New(o Options) *Looks { return &Looks{Options: o, teller: teller{log: o.Log}} }

// Flush logs the sum of a burst of changes. It is called when no look is made any longer.
func (l *Looks) Flush() { l.teller.flush() }

// Did is what was done since the start.
func (l *Looks) Did() Counts { return l.counter.counts() }

// Misread is how many publications have content that could not be read at the last try.
func (l *Looks) Misread() int { return l.misread.len() }

// Retrying is the publications that met a transient error and are tried again.
func (l *Looks) Retrying() *Retries { return &l.retrying }

// AwaitsPictures reports whether a late picture is asked for again soon.
func (l *Looks) AwaitsPictures(now time.Time) bool { return l.late.waits(now) }
