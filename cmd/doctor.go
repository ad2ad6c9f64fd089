package cmd

import (
	"context"
	"errors"
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
		return d.print(a, []doctor.Finding{{Check: "configuration", Detail: err.Error(), Code: exit.CodeOf(err)}})
	}
	c, faults := setup.New(env, config.ToRun, buildVersion().Version)
	findings, err := doctor.Examine(ctx, c, faults, a.logger(c, slog.LevelError))
	return errors.Join(d.print(a, findings), err)
}

func (d *doctorCommand) print(a *app, findings []doctor.Finding) error {
	code := doctor.ExitCode(findings)
	a.print(d.JSON, map[string]any{"checks": findings, "exit": code}, func() {
		for _, f := range findings {
			mark := "ok  "
			if !f.OK {
				mark = "FAIL"
			}
			detail := strings.ReplaceAll(say.HarmlessLines(f.Detail), "\n", "\n"+strings.Repeat(" ", 20))
			a.printf("%s %-14s %s\n", mark, f.Check, detail)
		}
	})
	return exit.With(code)
}
