package desk

import (
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// RunOptions are the options of a run or a plan.
type RunOptions struct {
	Full     bool          `json:"full"`     // enumerate, find removals, read all content again
	Patience time.Duration `json:"patience"` // for transient errors

	// Rules are those to plan with; nil: the planning process's own.
	Rules *PlannedRules `json:"rules,omitempty"`
	// Progress is called every second by a run of this process.
	Progress func(Progress) `json:"-"`
}

// DefaultPatience is the patience of a run that names none.
const DefaultPatience = 2 * time.Minute

// Progress counts entries listed, publications done and due.
type Progress struct {
	Listed int
	Done   int64
	Due    int
}

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
	Held     []Planned             `json:"held"`
	Exit     int                   `json:"exit"`
	Error    string                `json:"error"`

	Creations   []Planned `json:"creations"` // Create; New is the lowest price and the highest
	Withdrawals []Planned `json:"withdrawals"`
	Refused     []Planned `json:"refused"` // cannot be made as the supplier gives them
	Waits       []Planned `json:"waits"`   // for the marketplace
	// how many of Change cost points, since the shop takes no figures alone
	Readings int `json:"readings,omitempty"`
}

// Planned is a publication of a plan, or a change that a run would hold.
type Planned struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Reason   string         `json:"reason,omitempty"`
	Kind     store.HoldKind `json:"kind,omitempty"`
	Variant  string         `json:"variant,omitempty"`  // whose price it is
	Variants int            `json:"variants,omitempty"` // of what is created
	Old      string         `json:"old,omitempty"`
	New      string         `json:"new,omitempty"`
}

// PlannedRules are rules and the settings that make them.
type PlannedRules struct {
	publication.Rules

	Set map[string]string `json:"set"` // as of connector.Options
}

// NewPlan returns an empty plan whose lists are [] in JSON.
func NewPlan() Plan {
	return Plan{
		Create: []string{}, Change: []publication.Planned{}, Withdraw: []string{}, Held: []Planned{},
		Creations: []Planned{}, Withdrawals: []Planned{}, Refused: []Planned{}, Waits: []Planned{},
	}
}
