package cmd

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

type runCommand struct {
	Once     bool           `help:"A single run: one sweep of the import list, all that is due, a summary, the end."`
	Full     bool           `help:"With --once: enumerate the whole list, find removals, read all content again."`
	DryRun   bool           `name:"dry-run" help:"With --once: print what would be done, and do nothing."`
	Patience *time.Duration `placeholder:"2m" help:"With --once: for how long transient errors are retried."`
	Quiet    bool           `help:"With --once: print only when the exit is not 0."`
	FailOn   []string       `name:"fail-on" placeholder:"STATE,..." help:"${failOn}"`
	jsonFlag
}

// standings are the states of --fail-on; the last one is of reports.
var standings = []string{"rejected", "blocked", "held", "pending", "refused"}

// counting returns the standings that make exit 1; a nil failOn means all.
func counting(failOn []string, s desk.Summary) (names []string) {
	for i, n := range []int{s.Rejected, s.Blocked, s.Held, s.Pending, s.Refused} {
		if n > 0 && (failOn == nil || slices.Contains(failOn, standings[i])) {
			names = append(names, standings[i])
		}
	}
	return names
}

func (r *runCommand) Run(ctx context.Context, a *app) error {
	if err := r.check(); err != nil {
		return r.unbegun(a, err)
	}
	o := desk.RunOptions{Full: r.Full, Patience: desk.DefaultPatience, Wait: true}
	if r.Patience != nil {
		o.Patience = *r.Patience
	}
	switch {
	case r.DryRun:
		return a.each(ctx, r.JSON, func(a *app) error { return makePlan(ctx, a, o, r.JSON) })
	case r.Once:
		return a.each(ctx, r.JSON, func(a *app) error { return r.once(ctx, a, o) })
	case !a.env.Several():
		c, log, err := a.setup(config.ToRun)
		if err != nil {
			return err
		}
		c.Pages = a.pages
		return setup.Work(ctx, c, log)
	case a.account != "":
		if _, err := setup.EnvironmentOf(a.env, a.account); err != nil {
			return err
		}
	}
	c, err := setup.Load(a.env, config.ToServe, buildVersion().Version)
	if err != nil {
		return err
	}
	logOf := func(c *setup.Setup) *slog.Logger { return a.logger(c, c.LogLevel) }
	return setup.WorkAccounts(ctx, c, a.account, logOf)
}

func (r *runCommand) check() error {
	alone := r.DryRun || r.Quiet || r.FailOn != nil || r.Full || r.JSON || r.Patience != nil
	switch {
	case slices.ContainsFunc(r.FailOn, func(s string) bool { return s != "" && !slices.Contains(standings, s) }):
		return exit.Usage("--fail-on is a list of %s", strings.Join(standings, ","))
	case alone && !r.Once:
		return exit.Usage("--dry-run, --quiet, --fail-on, --full, --json and --patience go with --once")
	case r.DryRun && (r.Quiet || r.FailOn != nil):
		return exit.Usage("--quiet and --fail-on do not go with --dry-run")
	case r.Patience != nil && *r.Patience < 0:
		return exit.Usage("--patience is below zero")
	}
	return nil
}

// once prints with --quiet only if the exit code is not 0.
func (r *runCommand) once(ctx context.Context, a *app, o desk.RunOptions) error {
	if !r.Quiet {
		return r.make(ctx, a, o)
	}
	var out, log bytes.Buffer
	quiet := *a
	quiet.stdout, quiet.stderr = &out, &log
	err := r.make(ctx, &quiet, o)
	if exit.CodeOf(err) != desk.ExitOK {
		_, logErr := log.WriteTo(a.stderr)
		_, outErr := out.WriteTo(a.stdout)
		err = errors.Join(err, logErr, outErr)
	}
	return err
}

// unbegun returns err, and with --json prints the document of a run or plan that could not begin.
func (r *runCommand) unbegun(a *app, err error) error {
	if r.DryRun {
		return unplanned(a, r.JSON, err)
	}
	if r.Once && r.JSON {
		a.printSummary(desk.Summary{Exit: exit.CodeOf(err), Error: err.Error()}, true)
	}
	return err
}

func (r *runCommand) make(ctx context.Context, a *app, o desk.RunOptions) error {
	s, err := ask(a, config.ToRunOnce, func(d desk.Desk) (desk.Summary, error) { return d.Run(ctx, o) })
	if err != nil {
		return r.unbegun(a, err)
	}
	standing := counting(r.FailOn, s)
	if s.Exit == desk.ExitStanding && s.Error == "" && r.FailOn != nil && len(standing) == 0 {
		s.Exit = desk.ExitOK // a run that ended early keeps its code
	}
	a.printSummary(s, r.JSON)
	for _, state := range standing {
		if !r.Quiet || r.JSON || s.Exit != desk.ExitStanding || state == "refused" {
			continue
		}
		a.printf("\n")
		err := look(a, false, func(d desk.Desk) (desk.List, error) {
			return d.Publications(ctx, desk.Query{State: store.State(state), Limit: mostStanding})
		}, a.printPublications)
		if err != nil {
			return err
		}
	}
	return exit.With(s.Exit)
}

const mostStanding = 20 // publications of a state, in a quiet run

func (a *app) printSummary(s desk.Summary, asJSON bool) {
	a.print(asJSON, s, func() {
		a.printf("swept %d, created %d, updated %d, unchanged %d, withdrawn %d, reported %d\n"+
			"standing: rejected %d, blocked %d, held %d, pending %d, reports refused %d\n"+
			"%.1f s, %d requests, %.0f points, throttled %d times\n",
			s.Swept, s.Created, s.Updated, s.Unchanged, s.Withdrawn, s.Reported,
			s.Rejected, s.Blocked, s.Held, s.Pending, s.Refused,
			s.Seconds, s.Requests, s.Cost, s.Throttled)
		if s.Error != "" {
			a.printf("ended early: %s\n", say.Harmless(s.Error))
		}
	})
}
