package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pubsync/pubsync/cmd/internal/demo"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
)

type demoCommand struct {
	Once    bool   `help:"Import, and end."`
	Adapter string `placeholder:"NAME" help:"Publish to this adapter's shop, not to the demo's own catalogue."`
	jsonFlag
}

// Run is the command run beside a marketplace of its own.
func (d *demoCommand) Run(ctx context.Context, a *app) error {
	if d.JSON && !d.Once {
		return exit.Usage("--json goes with --once")
	}
	if d.Adapter == demo.Shop {
		d.Adapter = "" // it is the demo's own
	}
	stage, err := demo.Open(ctx, a.env, d.Adapter, d.Once)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "the demo's own store, gone at its end: %s\n", stage.Store)
	a.env, a.account = stage.Env, ""
	if d.Once { // what stands rejected or pending is part of the demo
		run := &runCommand{Once: true, FailOn: []string{}, jsonFlag: d.jsonFlag}
		err = run.once(ctx, a, desk.RunOptions{Patience: demo.Patience, Wait: true})
		index := filepath.Join(stage.Catalog, "index.html")
		if _, missing := os.Stat(index); stage.Catalog != "" && missing == nil {
			fmt.Fprintf(a.stderr, "the shop's pages: %s\n", index)
		}
	} else {
		a.pages = stage.Pages
		err = stage.Play(ctx, a.stdout, func(ctx context.Context) error { return (&runCommand{}).Run(ctx, a) })
	}
	return errors.Join(err, stage.Close())
}
