package cmd

import (
	"context"
)

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
