package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/store"
)

// Options are what a run needs. All are required.
type Options struct {
	Store     store.Store
	Market    Market
	Sweeper   Sweeper
	Worker    Worker
	Reports   Reports
	Shop      Shop
	Drift     Drift
	Overdue   Overdue
	Directory Directory
	Keys      Keys
	Backlog   Backlog
	Forgetter Forgetter

	ShopSide   Side
	MarketSide Side
	Waiters    *breaker.Waiters
	Health     *health.Health
	Log        *slog.Logger
}

// Market tells a run what it has cost.
type Market interface {
	Stats() marketplace.Stats
}

// Sweeper lists the import list. See [sweep.Sweeper].
type Sweeper interface {
	Once(ctx context.Context, full, read bool, into *sweep.Listed) error
	ResyncDue(ctx context.Context, now time.Time) (bool, error)
	RemovalsWait() bool
	JudgeRemovals(ctx context.Context) error
}

// Worker works off what is due, beside the run. See [worker.Worker].
type Worker interface {
	Did() worker.Counts
	LetRules()
	JudgeShop(ctx context.Context, id string, err error)

	Idle() *breaker.Signal
	Busy() int
	BusyWith(which func(id string, class store.Class) bool) bool
	Classes(now time.Time) store.ClassSet

	Failing() time.Time
	Hung(deadline func(begun time.Time) time.Time, now time.Time) map[string]bool
	Slots() int

	Retrying() int
	RetryingIDs() []string
	Retries(id string) bool
	LastToRetry() (at time.Time, ok bool)
	AwaitsPictures(now time.Time) bool
	Misread() int
}

// Reports makes the reports that are owed, beside the run. See [outbox.Reporter].
type Reports interface {
	Reported() int64
	LastAck() store.Instant
	Trouble() error
	Answered() *breaker.Signal
	Patient(ctx context.Context, from, now time.Time, patience time.Duration) (bool, error)
}

// Shop asks the shop whether it can be used. See [probe.Prober].
type Shop interface {
	Check(ctx context.Context) error
	CheckPause(ctx context.Context)
	Ask(ctx context.Context)
	PassedSince(t time.Time) bool
	Unblock(ctx context.Context)
}

// Side is the breaker before the shop or the marketplace.
type Side interface {
	Status(now time.Time) breaker.Status
	Changed() <-chan struct{}
	WorkedSince(t time.Time) bool
	Release()
	Clear()
}

// Drift compares the shop's listings with the store.
type Drift interface {
	// Compare compares at once, or where the last time was a day ago. It gives up when the shop is
	// silent for longer than patience.
	Compare(ctx context.Context, now bool, patience time.Duration)
}

// Overdue makes reports owed of publications that have waited for the shop too long.
type Overdue interface{ Find(ctx context.Context) }

// Directory reads the marketplace's directory again where it is old.
type Directory interface{ Refresh(ctx context.Context) }

// Keys reads the secrets again, and reports whether the marketplace's token is new.
type Keys interface {
	Reread(ctx context.Context) (token bool)
}

// Backlog is the work that waits.
type Backlog interface {
	// Ready reports whether looks and reports may be made.
	Ready(ctx context.Context) bool
	// Wake makes publications due that wait for another try.
	Wake(ctx context.Context, now time.Time) error
}

// Forgetter forgets publications that were withdrawn long ago.
type Forgetter interface{ Pass(ctx context.Context) }
