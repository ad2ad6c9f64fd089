package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/internal/demo"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/setup"
)

type demoCommand struct {
	Once    bool   `help:"Import, and end."`
	Adapter string `placeholder:"NAME" help:"Publish to this adapter's shop, not to the demo's own catalogue."`
	jsonFlag
}

func (d *demoCommand) Run(ctx context.Context, a *app) error {
	if d.JSON && !d.Once {
		return exit.Usage("--json goes with --once")
	}
	if d.Adapter == demo.Shop {
		d.Adapter = "" // it is the demo's own
	}
	show := &demo.Demo{
		Env: a.env, Adapter: d.Adapter, Version: buildVersion().Version, Stdout: a.stdout, Stderr: a.stderr,
		Logger: func(c *setup.Setup) *slog.Logger { return a.logger(c, c.LogLevel) },
	}
	if !d.Once {
		return show.Play(ctx)
	}
	summary, pages, err := show.Once(ctx)
	if err != nil {
		return err
	}
	a.printSummary(summary, d.JSON)
	if pages != "" {
		fmt.Fprintf(a.stderr, "the shop's pages: %s\n", filepath.Join(pages, "index.html"))
	}
	return exit.With(summary.Exit)
}
