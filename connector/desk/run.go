package desk

import (
	"fmt"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

type Plan struct {
	Create   []string              `json:"create"`
	Change   []publication.Planned `json:"change"`
	Withdraw []string              `json:"withdraw"`
	Held     []HeldPlan            `json:"held"`
	Exit     int                   `json:"exit"`
	Error    string                `json:"error"`

	Creations   []publication.Creation `json:"creations"`   // what Create names, with prices
	Withdrawals []Planned              `json:"withdrawals"` // what Withdraw names
	// what cannot be made, or not as the supplier gives it, and why
	Refused []Planned `json:"refused"`
	Waits   []Planned `json:"waits"` // what waits for the marketplace, and for what
	// how many of Change the run reads again, for points, since the shop takes no figures alone
	Readings int `json:"readings,omitempty"`
}

type Planned struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Reason string `json:"reason,omitempty"`
}

type PlannedRules struct {
	publication.Rules

	Set map[string]string `json:"set"` // as of connector.Options
}

// NewPlan plans nothing. Its lists are not nil, so that JSON shows them empty.
func NewPlan() Plan {
	return Plan{
		Create: []string{}, Change: []publication.Planned{}, Withdraw: []string{}, Held: []HeldPlan{},
		Creations: []publication.Creation{}, Withdrawals: []Planned{}, Refused: []Planned{}, Waits: []Planned{},
	}
}

type HeldPlan struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`

	Title string `json:"title"`

	Kind    store.HoldKind `json:"kind,omitempty"`
	Variant string         `json:"variant,omitempty"` // whose price it is; empty: the publication's
	Old     string         `json:"old,omitempty"`
	New     string         `json:"new,omitempty"`
}

// A Summary is what a single run did, and what stands at its end.
type Summary struct {
	Swept     int   `json:"swept"`
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Withdrawn int64 `json:"withdrawn"`
	Rejected  int   `json:"rejected"`
	Blocked   int   `json:"blocked"`
	Held      int   `json:"held"`
	Pending   int   `json:"pending"`

	Refused   int     `json:"refused"` // reports that the marketplace refuses
	Reported  int64   `json:"reported"`
	Seconds   float64 `json:"seconds"`
	Requests  int64   `json:"requests"`
	Cost      float64 `json:"cost"`
	Throttled int64   `json:"throttled"`
	Exit      int     `json:"exit"`
	Error     string  `json:"error"`
}

type Progress struct {
	Listed    int   // entries of the import list; Elsewhere: not known
	Done      int64 // publications that were created, updated, withdrawn or found unchanged; as Listed
	Due       int   // publications that are due
	Elsewhere bool  // of the worker that makes the run: it does more than the run asked for
}

func (p Progress) String() string {
	if p.Elsewhere {
		return fmt.Sprintf("the worker has %d due", p.Due)
	}
	return fmt.Sprintf("%d listed, %d done, %d due", p.Listed, p.Done, p.Due)
}
