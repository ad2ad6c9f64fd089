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
// that made the request. ErrUnknown means that no publication has the id that Explain was given.
type Desk interface {
	// Status is the connector at one moment. Without a worker it is as much as the store tells.
	Status(ctx context.Context) (Status, error)
	// Publications is a page of the import list.
	Publications(ctx context.Context, q Query) (List, error)
	// Failures is the publications that are not as they should be, in groups by state and cause. It
	// may be some seconds old.
	Failures(ctx context.Context) (Failures, error)
	// Explain is all that is known of one publication.
	Explain(ctx context.Context, id string) (Explanation, error)

	// Retry makes publications due now, whatever they wait for.
	Retry(ctx context.Context, r Retry) (Asked, error)
	// Held is what is held, in groups by kind and cause, and a page of the changes. An unknown group
	// is ErrKind.
	Held(ctx context.Context, q HeldQuery) (Held, error)
	// Answer approves or declines held changes.
	Answer(ctx context.Context, a Answer) (Asked, error)

	// Sweep has the worker sweep soon, and makes what is pending due now. It waits for neither.
	Sweep(ctx context.Context, full bool) (Asked, error)
	// Run makes a single run and waits for its end. The summary tells what ended it early; the
	// error is of a run that could not begin.
	Run(ctx context.Context, o RunOptions) (Summary, error)
	// Plan returns what a run would do. The plan tells what ended it early; the error is of a plan
	// that could not begin.
	Plan(ctx context.Context, o RunOptions) (Plan, error)

	// Backup writes a consistent copy of the store to w.
	Backup(ctx context.Context, w io.Writer) error
	// Installation is what the store keeps of the installation as a public app.
	Installation(ctx context.Context) (store.Installation, error)
	// Ready is why the store cannot be written; nil: it can.
	Ready(ctx context.Context) error

	io.Closer
}

// A Query chooses a page of the import list.
type Query struct {
	State store.State // empty: of every state
	After string      // the cursor of the page before; empty: the first page. Another text is ErrCursor
	Limit int         // at least 1

	Find  string // a part of the title, the id or the shop's id; empty: every publication
	Cause string // of a group of Failures; empty: whatever the cause
}

// Asked is the answer to what the worker does later.
type Asked struct {
	Count int    // publications and reports that are due now, or publications that had something approved
	Waits string // why it is not done before the shop can be used again; empty: nothing keeps it
	// Unknown are those of the ids that were named of which the store knows no publication. The others
	// are done.
	Unknown []string
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

// The reasons to refuse a request.
var (
	ErrUnknown = errors.New("no such publication")
	// ErrHold is for a held change that was named and is gone.
	ErrHold   = errors.New("what was shown is held no more: look again")
	ErrCursor = errors.New("after: not a cursor of this list")
	ErrKind   = fmt.Errorf("kind: one of %s", kinds())
)

func kinds() string {
	var names []string
	for _, kind := range store.HoldKinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}
