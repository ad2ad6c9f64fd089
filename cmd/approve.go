package cmd

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

type approveCommand struct {
	IDs  []string       `arg:"" optional:"" name:"id" help:"The publications' ids."`
	All  bool           `help:"Everything that is held."`
	Kind store.HoldKind `placeholder:"price|first-price|removal|foreign|rules|drift" predictor:"kind" help:"Everything that is held of one kind."`
	jsonFlag
}

// Help says what the kinds are.
func (r *approveCommand) Help() string {
	return "The kinds: changes of price (price), prices of new products and variants (first-price), removals " +
		"(removal), products that another tool made (foreign), prices by rules that no setting of yours changed " +
		"(rules), and prices of very many products that were changed in the shop (drift): these are put back."
}

func (r *approveCommand) Run(ctx context.Context, a *app) error {
	ways := 0
	for _, given := range []bool{len(r.IDs) > 0, r.All, r.Kind != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return exit.Usage("approve takes ids, --all, or --kind")
	}
	if r.Kind != "" && !slices.Contains(store.HoldKinds(), r.Kind) {
		return exit.Usage("--kind is one of %v", store.HoldKinds())
	}
	return a.tell(r.IDs, instruction{
		word: "approved", asJSON: r.JSON,
		one: func(d desk.Desk, id string) (desk.Asked, error) { return d.Approve(ctx, id) },
		all: func(d desk.Desk) (desk.Asked, error) { return d.ApproveAll(ctx, r.Kind) },
	})
}
