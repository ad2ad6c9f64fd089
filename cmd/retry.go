package cmd

import (
	"context"

	"github.com/pubsync/pubsync/cmd/internal/exit"
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
	return a.tell(ctx, "due", r.JSON, desk.Request{
		Retry: true, IDs: r.IDs, Reset: r.Reset, Failed: r.Failed, All: r.All,
	})
}
