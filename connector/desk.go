package connector

import (
	"context"

	"github.com/pubsync/pubsync/connector/desk"
)

// Desk returns the connector's desk.
func (c *Connector) Desk() *desk.Local { return c.desk }

type deskWorker struct{ *Connector }

// Tell adds what only the worker knows.
func (w deskWorker) Tell(_ context.Context, s *desk.Status) error {
	w.Engine.Tell(s)
	s.Webhook = w.registration.Status()
	s.Webhook.URL, s.Webhook.Error = w.o.Redact(s.Webhook.URL), w.o.Redact(s.Webhook.Error) // a path token is in it
	if f := w.receiver.Refused(); f.InARow > 0 {
		s.Webhook.Refused = &f
	}
	return nil
}

// Sweep queues a person's sweep.
func (w deskWorker) Sweep(ctx context.Context, full bool) error {
	w.SweepNow(ctx, full)
	return nil
}

// Run makes a single run within the worker.
func (w deskWorker) Run(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	s, _ := w.RunOnce(ctx, o) //nolint:errcheck // the summary carries it
	return s, nil
}
