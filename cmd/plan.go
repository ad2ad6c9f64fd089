package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
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
	end := a.showProgress(&o)
	plan, err := ask(a, config.ToPlan, setup.ToDraft, func(d *desk.Client) (desk.Plan, error) { return d.Plan(ctx, o) })
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

// printPlan prints a plan in columns, a line for each thing that a run would do, behind how many
// there are.
func (a *app) printPlan(p desk.Plan, asJSON bool) error {
	if asJSON {
		return a.printJSON(p)
	}
	rows := planRows(p)
	if len(rows) > 0 {
		fmt.Fprintln(a.stdout, totalOf(p))
		head := []string{"WHAT", "ID", "TITLE", "VARIANT", "FIELD", "OLD -> NEW", "MARGIN", "WHY"}
		if err := say.Table(a.stdout, head, rows); err != nil {
			return err
		}
	}
	var err error
	switch {
	case p.Error != "":
		_, err = fmt.Fprintln(a.stdout, "ended early:", say.Harmless(p.Error))
	case len(rows) == 0:
		_, err = fmt.Fprintln(a.stdout, "nothing to do")
	}
	return err
}

func planRows(p desk.Plan) (rows [][]string) {
	line := func(what, id, title, variant, field, moved, margin, why string) {
		rows = append(rows, []string{what, id, title, variant, field, moved, margin, why})
	}
	for _, c := range p.Creations {
		prices, margins := spansOf(c)
		line("create", c.ID, c.Title, strconv.Itoa(len(c.Variants))+" variants", "", prices, margins, "")
	}
	for _, c := range p.Change {
		line("change", c.ID, c.Title, c.Name, c.Field, movedOf(c.Old, c.New), percentOf(c.Margin), "")
	}
	for _, d := range p.Withdrawals {
		line("withdraw", d.ID, d.Title, "", "", "", "", d.Reason)
	}
	for _, h := range p.Held {
		line("hold", h.ID, h.Title, "", string(h.Kind), moves(h.Old, h.New), "", h.Reason)
	}
	for _, r := range p.Refused {
		line("refuse", r.ID, r.Title, "", "", "", "", r.Reason)
	}
	for _, r := range p.Waits {
		line("wait", r.ID, r.Title, "", "", "", "", r.Reason)
	}
	return rows
}

// totalOf is a plan in numbers.
func totalOf(p desk.Plan) string {
	changed, held := map[string]bool{}, map[string]bool{}
	for _, c := range p.Change {
		changed[c.ID] = true
	}
	for _, h := range p.Held {
		held[h.ID] = true
	}
	return fmt.Sprintf("create %d, change %d, withdraw %d, cannot be made %d, held %d, waiting %d", len(p.Create),
		len(changed), len(p.Withdraw), len(p.Refused), len(held), len(p.Waits))
}

func movedOf(before, after string) string {
	if before == "" && after == "" {
		return ""
	}
	return cmp.Or(before, "nothing") + " -> " + cmp.Or(after, "nothing")
}

// spansOf is the lowest and the highest price of a listing, and margin.
func spansOf(c publication.Creation) (prices, margins string) {
	var all, percents []string
	for _, v := range c.Variants {
		all = append(all, v.Price)
		if v.Margin != nil {
			percents = append(percents, percentOf(v.Margin))
		}
	}
	return span(all), span(percents)
}

// span is the lowest and the highest of some amounts, as they are written.
func span(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	compare := func(a, b string) int {
		x, _ := decimal.NewFromString(strings.TrimSuffix(a, " %")) //nolint:errcheck // what is none counts as 0
		y, _ := decimal.NewFromString(strings.TrimSuffix(b, " %")) //nolint:errcheck // as above
		return x.Cmp(y)
	}
	low, high := slices.MinFunc(texts, compare), slices.MaxFunc(texts, compare)
	if low == high {
		return low
	}
	return low + " - " + high
}

func percentOf(margin *float64) string {
	if margin == nil {
		return ""
	}
	return strconv.FormatFloat(*margin, 'f', 1, 64) + " %"
}
