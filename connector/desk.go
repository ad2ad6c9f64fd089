package connector

import (
	"context"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/listener"
)

// Desk is the desk of a connector that runs.
func (c *Connector) Desk() *desk.Local { return c.desk }

// A deskWorker is the connector as the desk needs it: a desk.Worker and desk.Jobs.
type deskWorker struct{ *Connector }

// Tell adds what only the worker knows.
func (w deskWorker) Tell(ctx context.Context, s *desk.Status) {
	w.Engine.Tell(ctx, s)
	s.Webhook = w.registration.Status()
	s.Webhook.URL, s.Webhook.Error = w.o.Redact(s.Webhook.URL), w.o.Redact(s.Webhook.Error) // a path token is in it
	if f := w.receiver.Refused(); f.InARow > 0 {
		s.Webhook.Refused = &desk.Refused{
			Refused: f, Allowed: listener.RefusalsAllowed, Says: desk.WhyRefused(f.Why),
		}
	}
}

// Sweep queues a sweep that a person asks for.
func (w deskWorker) Sweep(ctx context.Context, full bool) { w.SweepNow(ctx, full) }

// Run makes a single run within the worker. Its summary says so where the worker stops meanwhile.
func (w deskWorker) Run(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	ctx, end := w.Accepting(ctx)
	defer end()
	s, err := w.RunOnce(ctx, o)
	if err != nil && w.Stopping() {
		s.Exit, s.Error = desk.ExitStore, "the worker is stopping"
	}
	return s, nil
}

// Plan plans a run with the worker's settings. Rules of prices and stock that the caller names replace the
// worker's. An error that ended it early is in the plan.
func (w deskWorker) Plan(ctx context.Context, o desk.RunOptions) (desk.Plan, error) {
	ctx, end := w.Accepting(ctx)
	defer end()
	planner := w.Planner(o.Patience)
	if o.Rules != nil {
		planner.Rules, planner.RuleSet = planner.Rules.WithFigures(o.Rules.Rules), o.Rules.Set
	}
	plan, _ := planner.Plan(ctx, o.Full) //nolint:errcheck // the plan carries it
	return plan, nil
}
