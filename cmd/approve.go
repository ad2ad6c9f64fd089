package cmd

import (
	"context"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
)

type approveCommand struct {
	heldChoice
	List  bool `help:"Show what is held, in groups and one by one; change nothing."`
	Limit *int `help:"With --list: at most so many changes, 20 where it is not given; 0 for all."`
}

// Help says what the kinds are.
func (r *approveCommand) Help() string {
	return heldKinds + " An approval is for the values that are shown: another value is held again."
}

func (r *approveCommand) Run(ctx context.Context, a *app) error {
	switch {
	case r.Limit != nil && *r.Limit < 0:
		return exit.Usage("--limit is below zero")
	case r.Limit != nil && !r.List:
		return exit.Usage("--limit goes with --list: an answer is to all that the other flags choose")
	case r.List && (len(r.IDs) > 0 || r.All):
		return exit.Usage("--list goes with --kind, --group or --search")
	case r.List:
		if err := r.known(); err != nil {
			return err
		}
		return r.list(ctx, a)
	}
	return r.answer(ctx, a, false)
}

func (r *approveCommand) list(ctx context.Context, a *app) error {
	held, err := ask(a, config.ToLook, setup.ToRead, func(d *desk.Client) (desk.Held, error) { return r.read(ctx, d) })
	switch {
	case err != nil:
		return err
	case r.JSON:
		return a.printJSON(held)
	default:
		return a.printHeld(held)
	}
}

func (r *approveCommand) read(ctx context.Context, d *desk.Client) (all desk.Held, err error) {
	limit := 20
	if r.Limit != nil {
		limit = *r.Limit
	}
	for first := true; first || all.After != "" && (limit == 0 || len(all.Changes) < limit); first = false {
		q := desk.HeldQuery{HeldFilter: r.filter(), After: all.After, Limit: listPage}
		if limit > 0 {
			q.Limit = min(listPage, limit-len(all.Changes))
		}
		page, err := d.Held(ctx, q)
		if err != nil {
			return all, err
		}
		if first {
			all = page
		} else {
			all.Changes, all.After = append(all.Changes, page.Changes...), page.After
		}
	}
	return all, nil
}

type declineCommand struct{ heldChoice }

// Help says what a decline means for each kind.
func (r *declineCommand) Help() string {
	return heldKinds + " What is declined is not asked again: a price stays as it is until the supplier, or a rule, " +
		"makes another one; a new product stays out until its price is another one; what is gone from the list stays " +
		"on sale until it is listed anew; what another tool made stays that tool's; a price that was changed in the " +
		"shop is yours until the supplier moves it. pubsync retry ID has it asked again."
}

func (r *declineCommand) Run(ctx context.Context, a *app) error {
	return r.answer(ctx, a, true)
}
