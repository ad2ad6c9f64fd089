// Package desk has all that a person may ask of a connector.
//
// A Local answers from a store, with or without a worker beside it, and serves the API. A Client asks the API of the
// process that holds the store.
package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Desk answers commands and the page: a Local or a Client. Many callers may use it at a time.
type Desk interface {
	Status(ctx context.Context) (Status, error)
	Publications(ctx context.Context, q Query) (List, error)
	Explain(ctx context.Context, id string) (Explanation, error)
	Held(ctx context.Context, kind string, limit int) (Held, error)
	Installation(ctx context.Context) (install.Installation, error)
	Try(ctx context.Context, set map[string]string) (Trial, error)
	Ready(ctx context.Context) error
	Retry(ctx context.Context, r Retry) (Asked, error)
	Answer(ctx context.Context, a Answer) (Asked, error)
	Sweep(ctx context.Context, full bool) error
	Run(ctx context.Context, o RunOptions) (Summary, error)
	Plan(ctx context.Context, o RunOptions) (Plan, error)
	Backup(ctx context.Context, w io.Writer) error
	Close() error
}

// A Local is the desk over a store.
type Local struct {
	Worker

	Store store.Store
	Rules publication.Rules

	// BackUp writes a copy of a store that is not a file.
	BackUp func(ctx context.Context, w io.Writer) error

	Settings map[string]string // variable -> digest, to warn a caller whose settings differ
	Figures  map[string]string // set settings of prices and stock
	// Read makes rules of Figures with some values replaced.
	Read func(set map[string]string) (publication.Rules, publication.Brake, error)

	trying sync.Mutex
}

// A Worker does what needs the marketplace or the shop. Run and Plan return an error only if they could not begin.
type Worker interface {
	Tell(context.Context, *Status) error // adds what only the worker knows
	Ready(ctx context.Context) error     // why the store cannot be written
	Wake()                               // looks for what is due now
	TryShop(context.Context)             // has a paused shop tried
	// Sweep makes what is pending due too, and does not wait.
	Sweep(ctx context.Context, full bool) error
	Run(ctx context.Context, o RunOptions) (Summary, error)
	Plan(ctx context.Context, o RunOptions) (Plan, error)
}

// Alone is a Worker in a process that does not work on the account, without runs and plans.
type Alone struct{ Store store.Store }

// Tell adds what the last process left.
func (a Alone) Tell(ctx context.Context, s *Status) error {
	past, _, err := PastFact.Get(ctx, a.Store)
	s.Sweeps, s.LastError, s.LastExit = past.Sweeps, past.LastError, past.Exit
	return err
}

func (a Alone) Ready(ctx context.Context) error { return store.Writable(ctx, a.Store) }
func (Alone) Wake()                             {}
func (Alone) TryShop(context.Context)           {}
func (Alone) Sweep(context.Context, bool) error {
	return usage("no worker runs that would sweep: make a run")
}

// The exit codes of a command.
const (
	ExitOK          = 0
	ExitStanding    = 1 // something rejected, blocked, held, pending, or a report refused
	ExitUsage       = 2 // wrong usage or configuration
	ExitMarketplace = 3 // unreachable, refuses the token, or a sweep was not completed
	ExitShop        = 4 // unreachable, or refuses the credentials
	ExitStore       = 5 // cannot be opened
)

// An Error is why a request failed, with the exit code of its command.
type Error struct {
	Exit int
	Err  error // nil: the output has said all

	status int // of the HTTP answer; 0: by the exit code
}

func (e *Error) Error() string { return cmp.Or(e.Err, fmt.Errorf("exit %d", e.Exit)).Error() }
func (e *Error) Unwrap() error { return e.Err }

func usage(format string, args ...any) error {
	return &Error{Exit: ExitUsage, Err: fmt.Errorf(format, args...)}
}

func refusal(exit, status int, why string) error {
	return &Error{Exit: exit, Err: errors.New(why), status: status}
}

// The errors that a caller tells apart.
var (
	ErrUnknown = refusal(1, http.StatusNotFound, "no such publication")
	// ErrHold is for a named hold that is gone.
	ErrHold = refusal(1, http.StatusConflict, "what was shown is held no more: look again")

	errStore = refusal(ExitStore, http.StatusConflict, "this worker has another store")
)

// Close closes the store.
func (l *Local) Close() error { return l.Store.Close() }

// Installation returns that of a public app, whose token is encrypted.
func (l *Local) Installation(ctx context.Context) (install.Installation, error) {
	i, _, err := install.Of(ctx, l.Store)
	return i, err
}

// Ready returns why the store cannot be written. It checks the file of a store.
func (l *Local) Ready(ctx context.Context) error {
	if f, ok := l.Store.KV.(store.File); ok {
		if err := f.Check(ctx); err != nil {
			return err
		}
	}
	return l.Worker.Ready(ctx)
}

// Sweep sweeps as Worker does, and has the shop tried.
func (l *Local) Sweep(ctx context.Context, full bool) error {
	err := l.Worker.Sweep(ctx, full)
	l.TryShop(ctx)
	return err
}

// Backup writes a copy of the store.
func (l *Local) Backup(ctx context.Context, w io.Writer) error {
	if f, ok := l.Store.KV.(store.File); ok {
		return f.Backup(ctx, w)
	}
	return l.BackUp(ctx, w)
}
