package harness

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
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

// Working runs a worker while f does something.
func Working(t *testing.T, c *connector.Connector, f func(*connector.Connector) time.Duration) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx, connector.Listeners{}) }()
	took := f(c)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return took
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

// Deliver has a connector receive a webhook, and returns its answer.
func Deliver(c *connector.Connector, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	c.WebhookHandler().ServeHTTP(w, r)
	return w
}
