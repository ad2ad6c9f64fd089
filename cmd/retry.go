package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
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
	return a.tell(r.IDs, instruction{
		word: "due", asJSON: r.JSON,
		one: func(d desk.Desk, id string) (desk.Asked, error) { return d.Retry(ctx, id, r.Reset) },
		all: func(d desk.Desk) (desk.Asked, error) {
			if r.All {
				return d.RetrySome(ctx, desk.Chosen{All: true})
			}
			return d.RetryFailed(ctx)
		},
	})
}

// An instruction is what retry and approve tell the desk, about one publication or about all.
type instruction struct {
	word   string // what the publications are then
	asJSON bool
	one    func(desk.Desk, string) (desk.Asked, error)
	all    func(desk.Desk) (desk.Asked, error)
}

// tell gives the instruction for each id, or without ids for all publications. An unknown id does
// not keep the others from it; the error names it.
func (a *app) tell(ids []string, i instruction) error {
	n, err := ask(a, config.ToLook, setup.ToWrite, func(d desk.Desk) (n int, err error) {
		if len(ids) == 0 {
			all, err := i.all(d)
			return all.Count, err
		}
		var unknown []error
		for _, id := range ids {
			switch _, err := i.one(d, id); {
			case errors.Is(err, desk.ErrUnknown):
				unknown = append(unknown, fmt.Errorf("%s: %w", say.Plain(id), err))
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
