// Package desk has all that a person may ask of a connector: its status, the import list, one
// publication, a retry, an answer to what is held, a run, a plan, a copy of the store.
//
// A Local answers from the store that this process holds, with or without a worker beside it. Its
// Handler is the API, and a Client asks that of the process that holds the store. A command opens one
// of the two, and knows not which.
package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A Desk may be asked by many callers at a time. An *Error carries the exit code of the command
// that made the request.
type Desk interface {
	Status(ctx context.Context) (Status, error)
	Publications(ctx context.Context, q Query) (List, error)
	Explain(ctx context.Context, id string) (Explanation, error) // or ErrUnknown
	Held(ctx context.Context, q HeldQuery) (Held, error)
	Installation(ctx context.Context) (store.Installation, error)
	Ready(ctx context.Context) error // why the store cannot be written; nil: it can

	Retry(ctx context.Context, r Retry) (Asked, error)
	Answer(ctx context.Context, a Answer) (Asked, error)
	// Sweep has the worker sweep soon, and makes what is pending due now. It waits for neither.
	Sweep(ctx context.Context, full bool) (Asked, error)
	// Run makes a single run, and Plan tells what it would do. Both tell what ended them early; the
	// error is of one that could not begin.
	Run(ctx context.Context, o RunOptions) (Summary, error)
	Plan(ctx context.Context, o RunOptions) (Plan, error)
	Backup(ctx context.Context, w io.Writer) error // a consistent copy of the store

	io.Closer
}

// Asked is the answer to what the worker does later.
type Asked struct {
	Count   int      `json:"count"`             // publications and reports that are due now, or that had something answered
	Waits   string   `json:"waits,omitempty"`   // why it is not done before the shop can be used again
	Unknown []string `json:"unknown,omitempty"` // those of the named ids that the store does not know; the others are done
}

// RunOptions is what a run, or the plan of one, is asked to do.
type RunOptions struct {
	Full     bool          // enumerate the whole list, find removals, read the content of every entry again
	Patience time.Duration // for which transient errors are retried

	Rules *PlannedRules // of a plan: the rules of prices and stock to plan with; nil: those of the process that plans

	// Progress is called every second with how far a run has come; nil: it is logged. Of a run that
	// another process makes it is that process's, and a plan that it makes has none.
	Progress func(Progress)
}

// DefaultPatience is for how long a run retries transient errors.
const DefaultPatience = 2 * time.Minute

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
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Exit)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// A BadRequest is a request that cannot be read.
type BadRequest string

func (b BadRequest) Error() string { return string(b) }

// The reasons to refuse a request.
var (
	ErrUnknown = errors.New("no such publication")
	// ErrHold is for a held change that was named and is gone.
	ErrHold         = errors.New("what was shown is held no more: look again")
	ErrCursor error = BadRequest("after: not a cursor of this list")
	ErrKind   error = BadRequest(fmt.Sprintf("kind: one of %s", strings.Join(kinds(), ", ")))

	errStore  = errors.New("this worker has another store")
	errBackup = errors.New("another backup is under way")
)

func kinds() (names []string) {
	for _, kind := range store.HoldKinds() {
		names = append(names, string(kind))
	}
	return names
}
