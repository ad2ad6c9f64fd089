package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

type retryCommand struct {
	IDs    []string `arg:"" optional:"" name:"id" help:"The publications' ids."`
	Failed bool     `help:"All that are rejected, blocked, pending or partly refused, and every refused report."`
	Reset  bool     `help:"Give the texts that you edited back to the supplier."`
	jsonFlag
}

func (r *retryCommand) Run(ctx context.Context, a *app) error {
	if (len(r.IDs) == 0) != r.Failed {
		return usage("retry takes ids, or --failed")
	}
	if r.Reset && r.Failed {
		return usage("--reset goes with ids")
	}
	return a.tell(r.IDs, instruction{
		word: "due", asJSON: r.JSON,
		one: func(d desk.Desk, id string) (desk.Asked, error) { return d.Retry(ctx, id, r.Reset) },
		all: func(d desk.Desk) (desk.Asked, error) { return d.RetryFailed(ctx) },
	})
}

type approveCommand struct {
	IDs  []string       `arg:"" optional:"" name:"id" help:"The publications' ids."`
	All  bool           `help:"Everything that is held."`
	Kind store.HoldKind `placeholder:"price|first-price|removal|foreign|rules" help:"Everything that is held of one kind: changes of price, first prices, removals, what another tool made, or prices by rules that no setting of yours changed."`
	jsonFlag
}

func (r *approveCommand) Run(ctx context.Context, a *app) error {
	ways := 0
	for _, given := range []bool{len(r.IDs) > 0, r.All, r.Kind != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return usage("approve takes ids, --all, or --kind")
	}
	if r.Kind != "" && !slices.Contains(store.HoldKinds(), r.Kind) {
		return usage("--kind is one of %v", store.HoldKinds())
	}
	return a.tell(r.IDs, instruction{
		word: "approved", asJSON: r.JSON,
		one: func(d desk.Desk, id string) (desk.Asked, error) { return d.Approve(ctx, id) },
		all: func(d desk.Desk) (desk.Asked, error) { return d.ApproveAll(ctx, r.Kind) },
	})
}

// An instruction is what retry and approve tell the desk about one publication, or about all that
// it concerns.
type instruction struct {
	word   string // what the publications are then
	asJSON bool
	one    func(desk.Desk, string) (desk.Asked, error)
	all    func(desk.Desk) (desk.Asked, error)
}

// tell gives an instruction about the publications that are named by their ids, or with no id about
// all. The error names the ids that are unknown; the instruction is given for the others all the
// same.
func (a *app) tell(ids []string, i instruction) error {
	n, err := ask(a, config.ToLook, toWrite, func(d desk.Desk) (n int, err error) {
		if len(ids) == 0 {
			all, err := i.all(d)
			return all.Count, err
		}
		var unknown []error
		for _, id := range ids {
			switch _, err := i.one(d, id); {
			case errors.Is(err, desk.ErrUnknown):
				unknown = append(unknown, fmt.Errorf("%s: %w", plain(id), err))
			case err != nil:
				return n, err
			default:
				n++
			}
		}
		return n, errors.Join(unknown...)
	})
	switch {
	case i.asJSON && (err == nil || errors.Is(err, desk.ErrUnknown)):
		err = errors.Join(err, a.printJSON(map[string]int{i.word: n}))
	case !i.asJSON && (err == nil || n > 0):
		fmt.Fprintf(a.stdout, "%d %s\n", n, i.word)
	}
	return err
}
