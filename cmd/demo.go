package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/demo"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/setup"
)

type demoCommand struct {
	Once    bool   `help:"Import, and end."`
	Adapter string `placeholder:"NAME" help:"Publish to this adapter's shop, not to the demo's own catalogue."`
	jsonFlag
}

// Run runs the demo, or with --once imports and ends.
func (d *demoCommand) Run(ctx context.Context, a *app) (err error) {
	if d.JSON && !d.Once {
		return exit.Usage("--json goes with --once")
	}
	if d.Adapter == demo.Shop {
		d.Adapter = "" // it is the demo's own
	}
	env := a.env.With(config.Prefix+"SHOP_ADAPTER", cmp.Or(d.Adapter, demo.Shop))
	c, err := setup.Load(env, config.ToDemo, buildVersion().Version)
	if err != nil {
		return err
	}
	level := slog.LevelError // rejected publications are part of the demo
	if c.Values[config.Prefix+"LOG_LEVEL"] != "" {
		level = c.LogLevel
	}
	show := &demo.Demo{
		Setup: c, Adapter: d.Adapter, Stdout: a.stdout, Stderr: a.stderr, Log: a.logger(c, level), KeepPages: d.Once,
	}
	defer func() { err = errors.Join(err, show.Close()) }()
	if err := show.Open(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "the demo's own store, gone at its end: %s\n", c.StorePath)
	if !d.Once {
		return show.Play(ctx)
	}
	summary, err := show.Once(ctx)
	if err != nil {
		return err
	}
	if err := a.printSummary(summary, d.JSON); err != nil {
		return err
	}
	if show.Catalog != "" {
		fmt.Fprintf(a.stderr, "the shop's pages: %s\n", filepath.Join(show.Catalog, "index.html"))
	}
	return exit.With(summary.Exit)
}
