package cmd

import (
	"context"
	"errors"
	"fmt"
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
	plan, err := ask(a, config.ToPlan, setup.ToDraft, func(d desk.Desk) (desk.Plan, error) { return d.Plan(ctx, o) })
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

func (a *app) printPlan(p desk.Plan, asJSON bool) error {
	if asJSON {
		return a.printJSON(p)
	}
	w := a.stdout
	for _, id := range p.Create {
		fmt.Fprintf(w, "create    %s\n", say.Plain(id))
	}
	for _, c := range p.Change {
		switch {
		case c.Old == "" && c.New == "":
			fmt.Fprintf(w, "change    %s  %s\n", say.Plain(c.ID), c.Field)
		case c.Variant != "":
			fmt.Fprintf(w, "change    %s  %s of %s: %s -> %s\n", say.Plain(c.ID), c.Field, say.Plain(c.Variant),
				orNothing(c.Old), orNothing(c.New))
		default:
			fmt.Fprintf(w, "change    %s  %s: %s -> %s\n", say.Plain(c.ID), c.Field, orNothing(c.Old), orNothing(c.New))
		}
	}
	for _, id := range p.Withdraw {
		fmt.Fprintf(w, "withdraw  %s\n", say.Plain(id))
	}
	for _, h := range p.Held {
		fmt.Fprintf(w, "hold      %s  %s\n", say.Plain(h.ID), say.Harmless(h.Reason))
	}
	if len(p.Create)+len(p.Change)+len(p.Withdraw)+len(p.Held) == 0 && p.Error == "" {
		fmt.Fprintln(w, "nothing to do")
	}
	if p.Error != "" {
		fmt.Fprintln(w, "ended early:", say.Harmless(p.Error))
	}
	return nil
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return say.Plain(s)
}
