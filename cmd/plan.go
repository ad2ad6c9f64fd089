package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
)

type planCommand struct {
	Full     bool          `help:"Enumerate the whole list and find removals too."`
	Patience time.Duration `default:"2m" help:"For how long transient errors are retried."`
	Set      []string      `sep:"none" placeholder:"NAME=VALUE" help:"Try a setting of prices or stock. Repeatable."`
	jsonFlag
}

func (p *planCommand) Run(ctx context.Context, a *app) error {
	if p.Patience < 0 {
		return exit.Usage("--patience is below zero")
	}
	env, err := trying(a.env, p.Set)
	if err != nil {
		return err
	}
	b := *a
	b.env = env
	return makePlan(ctx, &b, desk.RunOptions{Full: p.Full, Patience: p.Patience}, p.JSON)
}

// trying is an environment with settings of prices and stock in the place of its own. A worker that
// is asked for the plan makes it by them too, and keeps its own.
func trying(e config.Environment, settings []string) (config.Environment, error) {
	for _, setting := range settings {
		name, value, ok := strings.Cut(setting, "=")
		switch {
		case !ok || value == "":
			return e, exit.Usage("--set %s has no value: --set NAME=VALUE", name)
		case !slices.Contains(config.Figures(), name):
			return e, exit.Usage(
				"--set %s decides neither prices nor stock: one of %s", name, strings.Join(config.Figures(), ", "),
			)
		}
		e = e.With(name, value)
	}
	return e, nil
}

// makePlan prints what a run would do. With asJSON it prints a document even if no plan could be
// begun.
func makePlan(ctx context.Context, a *app, o desk.RunOptions, asJSON bool) error {
	end := func() {}
	if say.IsTerminal(a.stderr) {
		live := say.NewLive(a.stderr)
		a.stderr = live // of the log too
		o.Progress, end = func(p desk.Progress) { live.Show(p.String()) }, func() { live.Show("") }
	}
	plan, err := ask(a, config.ToPlan, setup.ToDraft, func(d desk.Desk) (desk.Plan, error) { return d.Plan(ctx, o) })
	end()
	if err != nil {
		if asJSON {
			plan = desk.NewPlan()
			plan.Exit, plan.Error = exit.CodeOf(err), err.Error()
			err = errors.Join(err, a.printJSON(plan))
		}
		return err
	}
	if err := a.printPlan(plan, asJSON); err != nil {
		return err
	}
	return exit.With(plan.Exit)
}
