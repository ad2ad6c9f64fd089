// Package desk has all that a person may ask of a connector: its status, the import list, one
// publication, a retry, an answer to what is held, a run, a plan, a copy of the store.
//
// A Local answers from a store, with or without a worker beside it, and is the API as an http.Handler. A
// Client asks that handler: over the socket of the process that holds the store, or in this process.
package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Local is the desk over a store. It may be asked by many callers at a time. An *Error carries the exit code
// of the command that made the request.
type Local struct {
	Store  store.Store
	Rules  publication.Rules // with which Explain tells how a price came about
	Worker Worker

	// BackUp writes a copy of a store that is no file to w.
	BackUp func(ctx context.Context, w io.Writer) error

	Settings map[string]string // variable -> digest of its value: to warn a caller whose settings differ
	Figures  map[string]string // the settings of prices and stock that are set
	// Read reads these settings with others in the place of some
	Read func(set map[string]string) (publication.Rules, publication.Brake, error)

	trying sync.Mutex // held by the one trial
}

// A Worker does what needs the marketplace or the shop beside the store. Run and Plan tell what ended them early; their
// error is of one that could not begin.
type Worker interface {
	Tell(context.Context, *Status) error // adds to a status what only the worker knows
	Ready(ctx context.Context) error     // why the store cannot be written; nil: it can
	Wake()                               // has the worker look for what is due now
	// TryShop has the shop tried now. It returns why it cannot be used yet, or "".
	TryShop(ctx context.Context) (waits string)
	// Sweep has the worker sweep soon, and makes what is pending due now. It waits for neither.
	Sweep(ctx context.Context, full bool) error
	Run(ctx context.Context, o RunOptions) (Summary, error) // makes a single run
	Plan(ctx context.Context, o RunOptions) (Plan, error)   // tells what it would do
}

// Alone is a Worker in a process that does not work on the account, without its runs and plans.
type Alone struct{ Store store.Store }

// Tell tells what the last process left.
func (a Alone) Tell(ctx context.Context, s *Status) error {
	past, _, err := pastFact.Get(ctx, a.Store)
	s.Sweeps.Incremental, s.Sweeps.Full = past.Incremental, past.Full
	s.LastError, s.LastExit = past.LastError, past.Exit
	return err
}

func (a Alone) Ready(ctx context.Context) error { return store.Writable(ctx, a.Store) }
func (Alone) Wake()                             {}
func (Alone) TryShop(context.Context) string    { return "" }
func (Alone) Sweep(context.Context, bool) error {
	return usage("no worker runs that would sweep: make a run")
}

// The exit codes of a command.
const (
	ExitOK          = 0
	ExitStanding    = 1 // some publication stands rejected, blocked, held or pending, or a report refused
	ExitUsage       = 2 // wrong usage or configuration
	ExitMarketplace = 3 // cannot be reached, refuses the token, or the sweep could not be completed
	ExitShop        = 4 // cannot be reached, or refuses the credentials
	ExitStore       = 5 // cannot be opened
)

// An Error is why a request could not be answered, with the exit code of the command that made it.
type Error struct {
	Exit int
	Err  error // nil: the command's output has said all

	status int // of an answer over HTTP; 0: that of the exit code
}

func (e *Error) Error() string { return cmp.Or(e.Err, fmt.Errorf("exit %d", e.Exit)).Error() }
func (e *Error) Unwrap() error { return e.Err }

// usage is the error of a request that cannot be read, or not be fulfilled as it is.
func usage(format string, args ...any) error {
	return &Error{Exit: ExitUsage, Err: fmt.Errorf(format, args...)}
}

func refusal(exit, status int, why string) error {
	return &Error{Exit: exit, Err: errors.New(why), status: status}
}

// The errors that a caller tells apart.
var (
	ErrUnknown = refusal(1, http.StatusNotFound, "no such publication")
	// ErrHold is for a held change that was named and is gone.
	ErrHold = refusal(1, http.StatusConflict, "what was shown is held no more: look again")

	errStore = refusal(ExitStore, http.StatusConflict, "this worker has another store")
)

// Backup writes a copy of the store.
func (l *Local) Backup(ctx context.Context, w io.Writer) error {
	if f, ok := l.Store.KV.(store.File); ok {
		return f.Backup(ctx, w)
	}
	return l.BackUp(ctx, w)
}

const tryAnswer = 3 * time.Second

func (l *Local) tryShop(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, tryAnswer)
	defer cancel()
	return l.Worker.TryShop(ctx)
}
