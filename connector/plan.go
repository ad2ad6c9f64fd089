package connector

import (
	"context"
	"errors"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/review"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Planner computes what a run would do. It holds nothing that could do it: a reader of the
// marketplace without its mutations, a view of the store without its writes, and of the shop the
// functions that read, if it has them, and no adapter.
type Planner struct {
	Marketplace *marketplace.Reader
	Store       store.Reader
	Listings    listings                                          // nil: the shop cannot list
	Review      review.Func                                       // nil: it has nothing to review
	Check       func(context.Context) error                       // nil: it cannot be checked
	Prices      func(context.Context) (shopadapter.Prices, error) // nil: prices are taken as they are
	Settings    publication.Settings
	Patience    time.Duration
	Variants    publication.VariantMode // whether the list of product variants is followed; "": it is not
	Resync      cron.Schedule           // of enumerations; nil: none
	RuleSet     map[string]string       // as of Options

	reviewedBy string                     // the settings that Review goes by
	restocks   func(context.Context) bool // whether the shop takes figures alone
	scarce     func() bool                // nil, or whether every change counts as a backlog
}

// NewPlanner makes a planner. Of the shop it keeps what reads alone.
func NewPlanner(
	market *marketplace.Reader,
	view store.Reader,
	shop shopadapter.Adapter,
	settings publication.Settings,
	patience time.Duration,
) *Planner {
	p := &Planner{Marketplace: market, Store: store.ReadOnly(view), Settings: settings, Patience: patience}
	if l, ok := shop.(shopadapter.Lister); ok {
		p.Listings = l.Listings
	}
	if c, ok := shop.(shopadapter.Checker); ok {
		p.Check = c.Check
	}
	if t, ok := shop.(shopadapter.Taxer); ok {
		p.Prices = t.Prices
	}
	if r, ok := shop.(shopadapter.Reviewer); ok {
		p.Review = r.Review
		p.reviewedBy = r.ReviewedBy()
	}
	p.restocks = func(ctx context.Context) bool { return shopadapter.RestockerOf(ctx, shop) != nil }
	return p
}

// Planner makes the planner of this connector.
func (c *Connector) Planner(patience time.Duration) *Planner {
	p := NewPlanner(c.o.Marketplace.Reader, c.o.Store, c.secrets.Shop(), c.settings(), patience)
	p.Variants, p.Resync, p.RuleSet, p.scarce = c.o.Variants, c.o.Resync, c.o.RuleSet, c.o.scarce
	return p
}

// Plan makes the plan of a run, or with full of a full run. The error is also in the plan, with the
// exit code.
func (p *Planner) Plan(ctx context.Context, full bool) (desk.Plan, error) {
	plan := desk.NewPlan()
	err := p.begin(&plan).all(ctx, full)
	if err != nil {
		plan.Error = err.Error()
		plan.Exit = planExit(err)
	}
	return plan, err
}

func planExit(err error) int {
	var account *store.AccountError
	var shop *health.ShopError
	switch {
	case errors.As(err, &account), store.Hopeless(err):
		return desk.ExitStore
	case errors.As(err, &shop):
		return desk.ExitShop
	default:
		return desk.ExitMarketplace
	}
}
