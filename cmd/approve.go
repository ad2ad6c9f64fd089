package cmd

import (
	"context"

	"github.com/pubsync/pubsync/connector/desk"
)

type approveCommand struct{ heldChoice }

// Help says what the kinds are.
func (r *approveCommand) Help() string {
	return heldKinds + " An approval is for the values that are shown: another value is held again."
}

func (r *approveCommand) Run(ctx context.Context, a *app) error {
	return r.heldChoice.run(ctx, a, answerWords{
		command: "approve", done: "approved",
		one: func(d desk.Desk, id string) (desk.Asked, error) { return d.Approve(ctx, id) },
	})
}
