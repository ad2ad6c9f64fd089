package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
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

func (r *runCommand) Run(ctx context.Context, a *app) error {
	if err := checkFailOn(r.failOn()); err != nil {
		return err
	}
	switch {
	case r.DryRun && !r.Once:
		return exit.Usage("--dry-run goes with --once")
	case r.Quiet && (!r.Once || r.DryRun):
		return exit.Usage("--quiet goes with --once, and not with --dry-run")
	case r.FailOn != nil && (!r.Once || r.DryRun):
		return exit.Usage("--fail-on goes with --once, and not with --dry-run")
	case r.Full && !r.Once:
		return exit.Usage("--full goes with --once")
	case r.JSON && !r.Once:
		return exit.Usage("--json goes with --once")
	case r.Patience != nil && !r.Once:
		return exit.Usage("--patience goes with --once")
	case r.Patience != nil && *r.Patience < 0:
		return exit.Usage("--patience is below zero")
	case r.DryRun:
		return makePlan(ctx, a, r.options(), r.JSON)
	case r.Once:
		return a.each(r.JSON, func(a *app) error {
			if r.Quiet {
				return a.quietly(func() error { return r.once(ctx, a) })
			}
			return r.once(ctx, a)
		})
	case a.env.AccountsDir() != "":
		return r.accounts(ctx, a)
	}
	c, log, err := a.setup(config.ToRun)
	if err != nil {
		return err
	}
	return setup.Work(ctx, c, log, nil)
}

// accounts works on all accounts.
func (r *runCommand) accounts(ctx context.Context, a *app) error {
	if a.account != "" {
		return exit.Usage("run works on all accounts; --account goes with run --once")
	}
	c, err := setup.Load(a.env, config.ToServe, buildVersion().Version)
	if err != nil {
		return err
	}
	return setup.WorkAccounts(ctx, c, a.logger(c, c.LogLevel),
		func(c *setup.Setup) *slog.Logger { return a.logger(c, c.LogLevel) })
}

// quietly runs a command whose output is printed only if its exit code is not 0.
func (a *app) quietly(command func() error) error {
	var out, log say.Kept
	stdout, stderr := a.stdout, a.stderr
	a.stdout, a.stderr = &out, &log
	err := command()
	if exit.CodeOf(err) != desk.ExitOK {
		err = errors.Join(err, log.LetOut(stderr), out.LetOut(stdout))
	}
	return err
}

// failOn is the states of --fail-on: nil where it is not given, and empty where it names none.
func (r *runCommand) failOn() []string {
	if r.FailOn == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.FailOn), func(name string) bool { return name == "" })
}

// options is what a single run is asked to do.
func (r *runCommand) options() desk.RunOptions {
	o := desk.RunOptions{Full: r.Full, Patience: desk.DefaultPatience}
	if r.Patience != nil {
		o.Patience = *r.Patience
	}
	return o
}

// once makes a single run. With --json it prints a document even if no run could be begun.
func (r *runCommand) once(ctx context.Context, a *app) error {
	o, end := r.options(), func() {}
	if say.IsTerminal(a.stderr) {
		live := say.NewLive(a.stderr)
		a.stderr = live // of the log too
		o.Progress, end = func(p desk.Progress) { live.Show(p.String()) }, func() { live.Show("") }
	}
	summary, err := ask(a, config.ToRunOnce, setup.ToMake,
		func(d desk.Desk) (desk.Summary, error) { return d.Run(ctx, o) })
	end()
	if err != nil {
		if r.JSON {
			err = errors.Join(err, a.printJSON(desk.Summary{Exit: exit.CodeOf(err), Error: err.Error()}))
		}
		return err
	}
	summary.Exit = exitOn(r.failOn(), summary)
	if err := a.printSummary(summary, r.JSON); err != nil {
		return err
	}
	return exit.With(summary.Exit)
}

func (a *app) printSummary(s desk.Summary, asJSON bool) error {
	if asJSON {
		return a.printJSON(s)
	}
	untranslated := ""
	if s.Untranslated > 0 {
		untranslated = fmt.Sprintf(" (for a translation alone: %d)", s.Untranslated)
	}
	_, err := fmt.Fprintf(
		a.stdout,
		"swept %d, created %d, updated %d, unchanged %d, withdrawn %d, reported %d\n"+
			"standing: rejected %d, blocked %d, held %d, pending %d%s, reports refused %d\n"+
			"%.1f s, %d requests, %.0f points, throttled %d times\n",
		s.Swept,
		s.Created,
		s.Updated,
		s.Unchanged,
		s.Withdrawn,
		s.Reported,
		s.Rejected,
		s.Blocked,
		s.Held,
		s.Pending,
		untranslated,
		s.Refused,
		s.Seconds,
		s.Requests,
		s.Cost,
		s.Throttled,
	)
	if err == nil && s.Error != "" {
		_, err = fmt.Fprintln(a.stdout, "ended early:", say.Harmless(s.Error))
	}
	return err
}
