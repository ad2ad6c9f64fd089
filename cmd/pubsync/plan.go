package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

type planCommand struct {
	Full     bool          `help:"Enumerate the whole list and find removals too."`
	Patience time.Duration `default:"2m" help:"For how long transient errors are retried."`
	jsonFlag
}

func (p *planCommand) Run(ctx context.Context, a *app) error {
	if p.Patience < 0 {
		return usage("--patience is below zero")
	}
	return makePlan(ctx, a, p.Full, p.Patience, p.JSON)
}

// makePlan prints what a run would do. The plan is the core's: nothing here can write.
func makePlan(ctx context.Context, a *app, full bool, patience time.Duration, asJSON bool) error {
	c, log, err := a.config(toPlan)
	if err != nil {
		return err
	}
	var plan connector.Plan
	view, err := store.OpenView(c.StorePath)
	switch {
	case errors.Is(err, store.ErrLocked):
		err = c.askWorker(ctx, log, connector.SweepRequest{Full: full, Wait: true, DryRun: true, Patience: patience.String()}, &plan)
		if err != nil {
			return err
		}
	case err != nil:
		return storeError(c.StorePath, err)
	default:
		if plan, err = c.planHere(ctx, log, view, full, patience); err != nil {
			return err
		}
	}
	if err := a.printPlan(plan, asJSON); err != nil {
		return err
	}
	if plan.Exit != connector.ExitOK {
		return &exitError{code: plan.Exit}
	}
	return nil
}

func (c *config) planHere(ctx context.Context, log *slog.Logger, view *store.Store, full bool, patience time.Duration) (connector.Plan, error) {
	shop, err := c.openShop(log)
	if err != nil {
		return connector.Plan{}, errors.Join(err, view.Close())
	}
	market := c.openMarketplace(log)
	planner := &connector.Planner{Marketplace: market.Reader, Store: view.View(), Rules: c.rules, Brake: c.brake, Patience: patience}
	if l, ok := shop.(shopadapter.Lister); ok {
		planner.Listings = l.Listings
	}
	plan, err := planner.Plan(ctx, full)
	if err != nil {
		log.Error("plan ended early", "error", err)
	}
	var closing error
	if closer, ok := shop.(io.Closer); ok {
		closing = closer.Close()
	}
	return plan, errors.Join(closing, market.Close(), view.Close())
}
