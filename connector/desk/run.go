package desk

import (
	"fmt"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// RunOptions are of a single run, or of a plan.
type RunOptions struct {
	Full     bool          `json:"full"`     // enumerate the list, find removals, read the content of every entry again
	Patience time.Duration `json:"patience"` // for which transient errors are retried

	// Rules are of a plan: the rules of prices and stock to plan with; nil: those of the process that plans.
	Rules *PlannedRules `json:"rules,omitempty"`
	// Progress is called every second with how far a run of this process has come; nil: it is logged.
	Progress func(Progress) `json:"-"`
}

// DefaultPatience is the patience of a run that names none.
const DefaultPatience = 2 * time.Minute

// Progress is the entries of the import list that were listed, the publications that were worked on, and those that
// are due.
type Progress struct {
	Listed int
	Done   int64
	Due    int
}

func (p Progress) String() string {
	return fmt.Sprintf("%d listed, %d done, %d due", p.Listed, p.Done, p.Due)
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
	Refused   int     `json:"refused"` // reports that the marketplace refuses
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

	Creations   []publication.Creation `json:"creations"`   // what Create names, with prices
	Withdrawals []Planned              `json:"withdrawals"` // what Withdraw names
	Refused     []Planned              `json:"refused"`     // what cannot be made as the supplier gives it
	Waits       []Planned              `json:"waits"`       // what waits for the marketplace, and for what
	// how many of Change the run reads again, for points, since the shop takes no figures alone
	Readings int `json:"readings,omitempty"`
}

// Planned is a publication of a plan, or a change of one that a run would hold.
type Planned struct {
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Reason  string         `json:"reason,omitempty"`
	Kind    store.HoldKind `json:"kind,omitempty"`
	Variant string         `json:"variant,omitempty"` // whose price it is; empty: the publication's
	Old     string         `json:"old,omitempty"`
	New     string         `json:"new,omitempty"`
}

// PlannedRules are rules to plan with, and the settings that make them.
type PlannedRules struct {
	publication.Rules

	Set map[string]string `json:"set"` // as of connector.Options
}

// NewPlan plans nothing. Its lists are not nil, so that JSON shows them empty.
func NewPlan() Plan {
	return Plan{
		Create: []string{}, Change: []publication.Planned{}, Withdraw: []string{}, Held: []Planned{},
		Creations: []publication.Creation{}, Withdrawals: []Planned{}, Refused: []Planned{}, Waits: []Planned{},
	}
}
