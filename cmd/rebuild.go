package cmd

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
)

type rebuildCommand struct{ jsonFlag }

// Run rebuilds the id mappings of an empty store from the listings that the shop holds as ours.
func (r *rebuildCommand) Run(ctx context.Context, a *app) error {
	n, err := ask(a, config.ToRebuild, setup.ToMake, func(d desk.Desk) (int, error) { return d.Rebuild(ctx) })
	if err != nil {
		return err
	}
	if r.JSON {
		return a.printJSON(map[string]int{"listings": n})
	}
	_, err = fmt.Fprintf(a.stdout, "%d listings taken over\n", n)
	return err
}
