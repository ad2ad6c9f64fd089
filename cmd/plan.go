package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
)

type planCommand struct {
	Full     bool          `help:"Enumerate the whole list and find removals too."`
	Patience time.Duration `default:"2m" help:"For how long transient errors are retried."`
	Set      []string      `sep:"none" placeholder:"NAME=[VALUE]" help:"Try a setting; beside a worker one of prices or stock. Repeatable."`
	jsonFlag
}

// Run plans with the given settings. A worker that is asked takes those of prices and stock, and warns of others.
func (p *planCommand) Run(ctx context.Context, a *app) error {
	set, err := p.tried()
	if err != nil {
		return unplanned(a, p.JSON, err)
	}
	b := *a
	b.env = a.env.With(set)
	return makePlan(ctx, &b, desk.RunOptions{Full: p.Full, Patience: p.Patience}, p.JSON)
}

func (p *planCommand) tried() (map[string]string, error) {
	var faults []error
	if p.Patience < 0 {
		faults = append(faults, errors.New("--patience is below zero"))
	}
	set := map[string]string{}
	for _, setting := range p.Set {
		name, value, ok := strings.Cut(setting, "=")
		name = config.Prefix + strings.TrimPrefix(name, config.Prefix)
		if set[name] = value; !ok {
			faults = append(faults, fmt.Errorf("--set %s has no value: --set NAME=VALUE", name))
		}
	}
	if len(faults) > 0 {
		return nil, exit.Usage("%w", errors.Join(faults...))
	}
	return set, nil
}

// makePlan prints a JSON document even if no plan could be begun.
func makePlan(ctx context.Context, a *app, o desk.RunOptions, asJSON bool) error {
	plan, err := ask(a, config.ToPlan, func(d desk.Desk) (desk.Plan, error) { return d.Plan(ctx, o) })
	if err != nil {
		return unplanned(a, asJSON, err)
	}
	a.print(asJSON, plan, func() { a.printPlan(plan) })
	return exit.With(plan.Exit)
}

// unplanned returns err, and with --json prints the document of a plan that could not begin.
func unplanned(a *app, asJSON bool, err error) error {
	plan := desk.NewPlan()
	plan.Exit, plan.Error = exit.CodeOf(err), err.Error()
	a.print(asJSON, plan, func() {})
	return err
}

func (a *app) printPlan(p desk.Plan) {
	rows := planRows(p)
	if len(rows) > 0 {
		changed, held := map[string]bool{}, map[string]bool{}
		for _, c := range p.Change {
			changed[c.ID] = true
		}
		for _, h := range p.Held {
			held[h.ID] = true
		}
		a.printf("create %d, change %d, withdraw %d, cannot be made %d, held %d, waiting %d\n",
			len(p.Create), len(changed), len(p.Withdraw), len(p.Refused), len(held), len(p.Waits))
		if p.Readings > 0 {
			a.printf("%d of the changes are read again for points: the shop takes no prices alone\n", p.Readings)
		}
		say.Table(a.stdout, []string{"WHAT", "ID", "TITLE", "VARIANT", "FIELD", "OLD -> NEW", "WHY"}, rows)
	}
	if p.Error != "" {
		a.printf("ended early: %s\n", say.Harmless(p.Error))
	} else if len(rows) == 0 {
		a.printf("nothing to do\n")
	}
}

func planRows(p desk.Plan) (rows [][]string) {
	line := func(what, id, title, variant, field, moved, why string) {
		rows = append(rows, []string{what, id, title, variant, field, moved, why})
	}
	for _, c := range p.Creations {
		line("create", c.ID, c.Title, strconv.Itoa(c.Variants)+" variants", "", c.New, "")
	}
	for _, c := range p.Change {
		moved := ""
		if c.Old != "" || c.New != "" {
			moved = cmp.Or(c.Old, "nothing") + " -> " + cmp.Or(c.New, "nothing")
		}
		line("change", c.ID, c.Title, c.Name, c.Field, moved, "")
	}
	for _, h := range p.Held {
		line("hold", h.ID, h.Title, "", string(h.Kind), moves(h.Old, h.New), h.Reason)
	}
	for i, all := range [][]desk.Planned{p.Withdrawals, p.Refused, p.Waits} {
		for _, one := range all {
			line([]string{"withdraw", "refuse", "wait"}[i], one.ID, one.Title, "", "", "", one.Reason)
		}
	}
	return rows
}
