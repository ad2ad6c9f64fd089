package connector

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Plan is what a run would do.
type Plan struct {
	Create   []string   `json:"create"`
	Change   []Change   `json:"change"`
	Withdraw []string   `json:"withdraw"`
	Held     []HeldPlan `json:"held"`
	Exit     int        `json:"exit"`
	Error    string     `json:"error"`
}

// A Change is one field of one publication, or of one of its variants. Of a text only the title is shown as it was.
type Change struct {
	ID      string `json:"id"`
	Field   string `json:"field"`
	Variant string `json:"variant"`
	Old     string `json:"old"`
	New     string `json:"new"`
}

// A HeldPlan is a change that a brake would hold.
type HeldPlan struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// A Planner computes what a run would do. It holds nothing that could do it: a reader of the marketplace without its mutations, a view of the
// store without its writes, and of the shop the function that lists what it made, if it has one, and no adapter.
type Planner struct {
	Marketplace *marketplace.Reader
	Store       store.View
	Listings    func(context.Context) iter.Seq2[shopadapter.Listed, error] // nil: the shop cannot list
	Rules       Rules
	Brake       Brake
	Patience    time.Duration
}

// Planner makes the planner of this connector.
func (c *Connector) Planner(patience time.Duration) *Planner {
	p := &Planner{Marketplace: c.market.Reader, Store: c.store.View(), Rules: c.rules, Brake: c.brake, Patience: patience}
	if l, ok := c.shop.(shopadapter.Lister); ok {
		p.Listings = l.Listings
	}
	return p
}

// Plan makes the plan of a run, or with full of a full run. The error is also in the plan, with the exit code.
func (p *Planner) Plan(ctx context.Context, full bool) (Plan, error) {
	plan := Plan{Create: []string{}, Change: []Change{}, Withdraw: []string{}, Held: []HeldPlan{}}
	run := &planning{Planner: p, plan: &plan, mapper: newMapper(p.Rules, p.Brake)}
	err := run.all(ctx, full)
	if err != nil {
		plan.Error = err.Error()
		plan.Exit = planExit(err)
	}
	return plan, err
}

func planExit(err error) int {
	var account *store.AccountError
	var shop *ShopError
	switch {
	case errors.As(err, &account), store.Hopeless(err):
		return ExitStore
	case errors.As(err, &shop):
		return ExitShop
	default:
		return ExitMarketplace
	}
}
