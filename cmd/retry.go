package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
)

type retryCommand struct {
	IDs    []string `arg:"" optional:"" name:"id" help:"The publications' ids."`
	Failed bool     `help:"All that are rejected, blocked, pending or partly refused, and every refused report."`
	All    bool     `help:"All that are not held."`
	Reset  bool     `help:"Give the texts that you edited back to the supplier."`
	jsonFlag
}

func (r *retryCommand) Run(ctx context.Context, a *app) error {
	if (len(r.IDs) == 0) != (r.Failed || r.All) || r.Failed && r.All {
		return exit.Usage("retry takes ids, or --failed, or --all")
	}
	if r.Reset && len(r.IDs) == 0 {
		return exit.Usage("--reset goes with ids")
	}
	return a.tell("due", r.JSON, func(d *desk.Client) (desk.Asked, error) {
		return d.Retry(ctx, desk.Retry{IDs: r.IDs, Reset: r.Reset, Failed: r.Failed, All: r.All})
	})
}

// tell gives an instruction, and prints for how many publications it was done: they are then what word says. An
// unknown id does not keep the others from it; the error names it.
func (a *app) tell(word string, asJSON bool, instruct func(*desk.Client) (desk.Asked, error)) error {
	asked, err := ask(a, config.ToTell, instruct)
	if err != nil {
		return err
	}
	if asked.Waits != "" {
		fmt.Fprintln(a.stderr, "it is done once the shop can be used:", say.Harmless(asked.Waits))
	}
	if asJSON {
		err = a.printJSON(map[string]int{word: asked.Count})
	} else if asked.Count > 0 || len(asked.Unknown) == 0 {
		_, err = fmt.Fprintf(a.stdout, "%d %s\n", asked.Count, word)
	}
	for _, id := range asked.Unknown {
		err = errors.Join(err, fmt.Errorf("%s: %w", say.Plain(id), desk.ErrUnknown))
	}
	return err
}
