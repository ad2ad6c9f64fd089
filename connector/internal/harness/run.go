package harness

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
)

// Every is a schedule with one span between times.
type Every time.Duration

// Next returns the time after t.
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

// Once makes a single run, a second later.
func (b *Bench) Once(full bool) desk.Summary {
	b.T.Helper()
	time.Sleep(time.Second)
	s, err := b.Connector().Once(b.T.Context(), desk.RunOptions{Full: full, Patience: 2 * time.Minute})
	if err != nil && s.Exit == 0 {
		b.T.Fatalf("run ended with exit 0 and %v", err)
	}
	return s
}

// Start runs a worker until stop. Without a schedule in Tune it sweeps only once.
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
