package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/doctor"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
)

type doctorCommand struct{ jsonFlag }

func (d *doctorCommand) Run(ctx context.Context, a *app) error {
	return a.each(ctx, d.JSON, func(a *app) error { return d.examine(ctx, a) })
}

func (d *doctorCommand) examine(ctx context.Context, a *app) error {
	env, err := setup.EnvironmentOf(a.env, a.account)
	if err != nil {
		return errors.Join(d.print(a, []doctor.Finding{{
			Check: "configuration", Detail: err.Error(), Code: exit.CodeOf(err),
		}}))
	}
	c, faults := setup.New(env, config.ToRun, buildVersion().Version)
	findings, err := doctor.Examine(ctx, c, faults, a.logger(c, slog.LevelError))
	return errors.Join(d.print(a, findings), err)
}

func (d *doctorCommand) print(a *app, findings []doctor.Finding) error {
	code := doctor.ExitCode(findings)
	if d.JSON {
		return errors.Join(a.printJSON(map[string]any{"checks": findings, "exit": code}), exit.With(code))
	}
	for _, f := range findings {
		mark := "ok  "
		if !f.OK {
			mark = "FAIL"
		}
		for i, line := range strings.Split(f.Detail, "\n") {
			if i > 0 {
				fmt.Fprintf(a.stdout, "%20s%s\n", "", say.Harmless(line))
				continue
			}
			fmt.Fprintf(a.stdout, "%s %-14s %s\n", mark, f.Check, say.Harmless(line))
		}
	}
	return exit.With(code)
}
