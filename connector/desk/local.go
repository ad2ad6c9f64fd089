package desk

import (
	"context"
	"errors"
	"io"
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

	failures memo[struct{}, Failures]
	groups   memo[HeldFilter, grouped]
	onSale   memo[struct{}, []string] // the ids of what is on sale, for trials
}

// A Worker is the connector that runs on the store.
type Worker interface {
	// Tell adds to a status what only the worker knows.
	Tell(context.Context, *Status)
	// Ready is why the store cannot be written; nil: it can.
	Ready(ctx context.Context) error
	// Wake has the worker look for what is due now.
	Wake()
	// TryShop has the shop tried now, since a person says that it can be used again. It returns why
	// it cannot be yet, or "".
	TryShop(ctx context.Context) (waits string)
	// Sweep has the worker sweep soon, and makes what is pending due now.
	Sweep(ctx context.Context, full bool)
}

// Jobs is what needs the marketplace or the shop beside the store. Each method does as the one of
// Desk with its name.
type Jobs interface {
	Run(ctx context.Context, o RunOptions) (Summary, error)
	Plan(ctx context.Context, o RunOptions) (Plan, error)
}

// Ready is why the store cannot be written; nil: it can.
func (l *Local) Ready(ctx context.Context) error {
	if l.Worker != nil {
		return l.Worker.Ready(ctx)
	}
	return store.Writable(ctx, l.Store)
}

func (l *Local) Run(ctx context.Context, o RunOptions) (Summary, error) { return l.Jobs.Run(ctx, o) }

func (l *Local) Plan(ctx context.Context, o RunOptions) (Plan, error) { return l.Jobs.Plan(ctx, o) }

func (l *Local) Backup(ctx context.Context, w io.Writer) error {
	f, ok := l.Store.KV.(store.File)
	switch {
	case ok:
		return f.Backup(ctx, w)
	case l.BackUp != nil:
		return l.BackUp(ctx, w)
	default:
		return errors.New("the store is no file: back up the database that holds it")
	}
}

// Close closes the store, unless it is a worker's.
func (l *Local) Close() error {
	if l.Worker != nil {
		return nil
	}
	return l.Store.Close()
}

// wake has the worker look for what is due now, where one runs.
func (l *Local) wake() {
	if l.Worker != nil {
		l.Worker.Wake()
	}
}

// tryAnswer is how long the answer to a person waits for the check of the shop.
const tryAnswer = 3 * time.Second

// tryShop has the worker try the shop now, and returns why it cannot be used yet.
func (l *Local) tryShop(ctx context.Context) string {
	if l.Worker == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, tryAnswer)
	defer cancel()
	return l.Worker.TryShop(ctx)
}
