package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
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
	return makePlan(ctx, a, desk.RunOptions{Full: p.Full, Patience: p.Patience}, p.JSON)
}

// makePlan prints what a run would do. With asJSON it prints a document also where no plan could be
// begun.
func makePlan(ctx context.Context, a *app, o desk.RunOptions, asJSON bool) error {
	plan, err := ask(a, config.ToPlan, toDraft, func(d desk.Desk) (desk.Plan, error) { return d.Plan(ctx, o) })
	if err != nil {
		if asJSON {
			plan = desk.NewPlan()
			plan.Exit, plan.Error = codeOf(err), err.Error()
			err = errors.Join(err, a.printJSON(plan))
		}
		return err
	}
	if err := a.printPlan(plan, asJSON); err != nil {
		return err
	}
	return endedWith(plan.Exit)
}
