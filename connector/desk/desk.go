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
	"time"

	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Desk answers commands and the page: a Local or a Client. Many callers may use it at a time.
type Desk interface {
	Status(ctx context.Context) (Status, error)
	Publications(ctx context.Context, q Query) (List, error)
	Explain(ctx context.Context, id string) (Explanation, error)
	Held(ctx context.Context, kind string) (Held, error)
	Installation(ctx context.Context) (install.Installation, error)
	Ready(ctx context.Context) error
	Ask(ctx context.Context, r Request) (Asked, error)
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

	Settings map[string]string // variable -> digest, to warn a caller whose settings differ
	Figures  map[string]string // set settings of prices and stock
	// Read makes settings of Figures with some values replaced.
	Read func(set map[string]string) (publication.Settings, error)
}

// A Worker does what needs the marketplace or the shop. Run and Plan return an error only if they could not begin.
type Worker interface {
	Tell(context.Context, *Status) error // what only the worker knows
	Ready(ctx context.Context) error     // why the store cannot be written
	TryShop(context.Context)             // has a paused shop tried, and looks for what is due now
	// Run makes a run, or without o.Wait only asks for its sweep; what is pending is due too, and the shop is tried.
	Run(ctx context.Context, o RunOptions) (Summary, error)
	Plan(ctx context.Context, o RunOptions) (Plan, error)
}

// Alone is a Worker in a process that does not work on the account, without runs and plans.
type Alone struct{ Store store.Store }

func (Alone) Tell(context.Context, *Status) error { return nil }
func (Alone) TryShop(context.Context)             {}

// Ready checks the file of a store too.
func (a Alone) Ready(ctx context.Context) error {
	if f, ok := a.Store.KV.(store.File); ok {
		if err := f.Check(ctx); err != nil {
			return err
		}
	}
	return store.Writable(ctx, a.Store)
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

	status int // of the HTTP answer; 0: 503
}

func (e *Error) Error() string { return cmp.Or(e.Err, fmt.Errorf("exit %d", e.Exit)).Error() }
func (e *Error) Unwrap() error { return e.Err }

func usage(format string, args ...any) error {
	return &Error{Exit: ExitUsage, Err: fmt.Errorf(format, args...), status: http.StatusBadRequest}
}

// The errors that a caller tells apart.
var (
	ErrUnknown error = &Error{ExitStanding, errors.New("no such publication"), http.StatusNotFound}
	// ErrHold is for a named hold that is gone.
	ErrHold error = &Error{ExitStanding, errors.New("what was shown is held no more: look again"), http.StatusConflict}

	errStore error = &Error{ExitStore, errors.New("this worker has another store"), http.StatusConflict}
)

// Close closes the store.
func (l *Local) Close() error { return l.Store.Close() }

// Installation returns that of a public app, whose token is encrypted.
func (l *Local) Installation(ctx context.Context) (install.Installation, error) {
	return install.Of(ctx, l.Store)
}

// Backup writes a copy of the store, which is a file.
func (l *Local) Backup(ctx context.Context, w io.Writer) error {
	f, err := l.file()
	if err != nil {
		return err
	}
	return f.Backup(ctx, w)
}

func (l *Local) file() (store.File, error) {
	if f, ok := l.Store.KV.(store.File); ok {
		return f, nil
	}
	return nil, usage("the store is in a database: pubsync backup copies it from there")
}

// RunOptions are the options of a run or a plan.
type RunOptions struct {
	Full     bool              `json:"full"`               // enumerate, find removals, read all content again
	Patience time.Duration     `json:"patience"`           // for transient errors
	Wait     bool              `json:"wait"`               // of a run: for its summary
	DryRun   bool              `json:"dryRun,omitempty"`   // a plan
	Store    string            `json:"store,omitempty"`    // 409 if the worker's is another
	Settings map[string]string `json:"settings,omitempty"` // variable -> digest

	// Rules are those to plan with, made of the settings in Set; nil: the planning process's own.
	Rules *publication.Rules `json:"rules,omitempty"`
	Set   map[string]string  `json:"set,omitempty"` // as of connector.Options
}

// DefaultPatience is the patience of a run that names none.
const DefaultPatience = 2 * time.Minute

// A Summary is what a single run did, and what stands at its end.
type Summary struct {
	Swept     int     `json:"swept"`
	Created   int64   `json:"created"`
	Updated   int64   `json:"updated"`
	Unchanged int64   `json:"unchanged"`
	Withdrawn int64   `json:"withdrawn"`
	Rejected  int     `json:"rejected"`
	Blocked   int     `json:"blocked"`
	Held      int     `json:"held"`
	Pending   int     `json:"pending"`
	Refused   int     `json:"refused"` // reports
	Reported  int64   `json:"reported"`
	Seconds   float64 `json:"seconds"`
	Requests  int64   `json:"requests"`
	Cost      float64 `json:"cost"`
	Throttled int64   `json:"throttled"`
	Exit      int     `json:"exit"`
	Error     string  `json:"error"`
}

// A Plan is what a run would do.
type Plan struct {
	Create   []string              `json:"create"`
	Change   []publication.Planned `json:"change"`
	Withdraw []string              `json:"withdraw"`
	Held     []HeldChange          `json:"held"`
	Exit     int                   `json:"exit"`
	Error    string                `json:"error"`

	Creations   []Planned `json:"creations"` // Create; New is the lowest price and the highest
	Withdrawals []Planned `json:"withdrawals"`
	Refused     []Planned `json:"refused"` // cannot be made as the supplier gives them
	Waits       []Planned `json:"waits"`   // for the marketplace
	// how many of Change cost points, since the shop takes no figures alone
	Readings int `json:"readings,omitempty"`
}

// Planned is a publication of a plan.
type Planned struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Reason   string `json:"reason,omitempty"`
	Variants int    `json:"variants,omitempty"` // of what is created
	New      string `json:"new,omitempty"`
}

// NewPlan returns an empty plan whose lists are [] in JSON.
func NewPlan() Plan {
	return Plan{
		Create: []string{}, Change: []publication.Planned{}, Withdraw: []string{}, Held: []HeldChange{},
		Creations: []Planned{}, Withdrawals: []Planned{}, Refused: []Planned{}, Waits: []Planned{},
	}
}
