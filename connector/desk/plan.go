package desk

import (
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Plan is what a run would do.
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
}

// Planned is a publication of a plan.
type Planned struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Reason string `json:"reason,omitempty"`
}

type PlannedRules struct {
	publication.Rules

	Set map[string]string `json:"set"` // as of connector.Options
}

// NewPlan is a plan in which nothing is planned. Its lists are not nil, so that JSON shows them
// empty.
func NewPlan() Plan {
	return Plan{
		Create: []string{}, Change: []publication.Planned{}, Withdraw: []string{}, Held: []HeldPlan{},
		Creations: []publication.Creation{}, Withdrawals: []Planned{}, Refused: []Planned{}, Waits: []Planned{},
	}
}

// A HeldPlan is a change that a brake would hold.
type HeldPlan struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`

	Title string `json:"title"`

	Kind    store.HoldKind `json:"kind,omitempty"`
	Variant string         `json:"variant,omitempty"` // whose price it is; empty: the publication's
	Old     string         `json:"old,omitempty"`
	New     string         `json:"new,omitempty"`
}
