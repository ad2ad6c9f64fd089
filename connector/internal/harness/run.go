package harness

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
)

// Every is a schedule: each time comes one span after the one before.
type Every time.Duration

// Next is the time after t.
func (e Every) Next(t time.Time) time.Time { return t.Add(time.Duration(e)) }

// Connector makes a connector.
func (b *Bench) Connector() *connector.Connector {
	b.T.Helper()
	c, err := connector.New(b.T.Context(), b.Options())
	if err != nil {
		b.T.Fatal(err)
	}
	return c
}

// Once makes a single run, one second after whatever was before.
func (b *Bench) Once(full bool) desk.Summary {
	b.T.Helper()
	time.Sleep(time.Second)
	s, err := b.Connector().Once(b.T.Context(), desk.RunOptions{Full: full, Patience: 2 * time.Minute})
	if err != nil && s.Exit == 0 {
		b.T.Fatalf("run ended with exit 0 and %v", err)
	}
	return s
}

// Start runs a worker until stop is called. Without a schedule in Tune it makes no sweep of its own
// but the first.
func (b *Bench) Start() (c *connector.Connector, stop func()) {
	b.T.Helper()
	ctx, cancel := context.WithCancel(b.T.Context())
	c = b.Connector()
	done := make(chan error)
	go func() { done <- c.Run(ctx, connector.Listeners{}) }()
	return c, func() {
		cancel()
		if err := <-done; err != nil {
			b.T.Error(err)
		}
	}
}

// HookAddress is where the webhook is registered.
const HookAddress = "https://hooks.shop.example/webhooks"
