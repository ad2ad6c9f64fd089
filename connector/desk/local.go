package desk

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Local is the desk of the process that holds the store.
type Local struct {
	Store  store.Store
	Rules  publication.Rules // with which Explain tells how a price came about
	Worker Worker            // nil: none runs in this process
	Jobs   Jobs

	// BackUp writes a copy of a store that is no file to w; nil: there is no such copy.
	BackUp func(ctx context.Context, w io.Writer) error

	Settings map[string]string // variable -> digest of its value: to warn a caller whose settings differ
	Figures  map[string]string // the settings of prices and stock that are set
	// Read reads these settings with others in the place of some; nil: none can be tried
	Read func(set map[string]string) (publication.Rules, publication.Brake, error)

	failures memo[struct{}, Failures]
	groups   memo[HeldFilter, grouped]
	onSale   memo[struct{}, []string] // the ids of what is on sale, for trials

	waiting         atomic.Int32 // callers that wait for a sweep
	copying, trying sync.Mutex   // held by the one backup, and the one trial
}

// A Worker is the connector that runs on the store.
type Worker interface {
	Tell(context.Context, *Status)   // adds to a status what only the worker knows
	Ready(ctx context.Context) error // why the store cannot be written; nil: it can
	Wake()                           // has the worker look for what is due now
	// TryShop has the shop tried now, since a person says that it can be used again. It returns why
	// it cannot be yet, or "".
	TryShop(ctx context.Context) (waits string)
	Sweep(ctx context.Context, full bool) // as Desk.Sweep
}

// Jobs is what needs the marketplace or the shop beside the store. Each method does as the one of
// Desk with its name.
type Jobs interface {
	Run(ctx context.Context, o RunOptions) (Summary, error)
	Plan(ctx context.Context, o RunOptions) (Plan, error)
}

func (l *Local) Ready(ctx context.Context) error {
	if l.Worker != nil {
		return l.Worker.Ready(ctx)
	}
	return store.Writable(ctx, l.Store)
}

func (l *Local) Run(ctx context.Context, o RunOptions) (Summary, error) { return l.Jobs.Run(ctx, o) }

func (l *Local) Plan(ctx context.Context, o RunOptions) (Plan, error) { return l.Jobs.Plan(ctx, o) }

func (l *Local) Backup(ctx context.Context, w io.Writer) error {
	if f, ok := l.Store.KV.(store.File); ok {
		return f.Backup(ctx, w)
	}
	if l.BackUp == nil {
		return errors.New("the store is no file: back up the database that holds it")
	}
	return l.BackUp(ctx, w)
}

// Installation is what the store keeps of the installation as a public app: zero without one. The
// token is encrypted with the app's secret.
func (l *Local) Installation(ctx context.Context) (store.Installation, error) {
	i, _, err := store.InstallationOf(ctx, l.Store)
	return i, err
}

// Close closes the store, unless it is a worker's.
func (l *Local) Close() error {
	if l.Worker != nil {
		return nil
	}
	return l.Store.Close()
}

func (l *Local) Sweep(ctx context.Context, full bool) (Asked, error) {
	if l.Worker == nil {
		return Asked{}, &Error{Exit: ExitUsage, Err: errors.New("no worker runs that would sweep: make a run")}
	}
	l.Worker.Sweep(ctx, full)
	return Asked{Waits: l.tryShop(ctx)}, nil
}

// tryAnswer is how long the answer to a person waits for the check of the shop.
const tryAnswer = 3 * time.Second

func (l *Local) tryShop(ctx context.Context) string {
	if l.Worker == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, tryAnswer)
	defer cancel()
	return l.Worker.TryShop(ctx)
}
