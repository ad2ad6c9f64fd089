package harness

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// DefaultEvents returns the events that concern the import list.
func DefaultEvents() []string {
	return []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"}
}

// Connector makes a connector.
func (b *Bench) Connector() *connector.Connector { return connector.New(b.Options()) }

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
	go func() { done <- c.Run(ctx, &connector.Listeners{}) }()
	return c, func() {
		cancel()
		if err := <-done; err != nil {
			b.T.Error(err)
		}
	}
}

// Desk returns the desk of a store without a worker.
func Desk(s store.Store) *desk.Local {
	return &desk.Local{Store: s, Worker: desk.Remote{Alone: desk.Alone{Store: s}}}
}

// Entry returns all that the store has of a publication.
func (b *Bench) Entry(id string) store.Entry {
	b.T.Helper()
	e, err := b.Store.Get(b.T.Context(), id)
	b.must(err)
	return e
}

// State returns a publication's state.
func (b *Bench) State(id string) store.State {
	b.T.Helper()
	return b.Entry(id).Record.State
}

// History returns a publication's events, oldest first.
func (b *Bench) History(id string) []store.Event {
	b.T.Helper()
	events, err := b.Store.History(b.T.Context(), id)
	b.must(err)
	return events
}

// Update has the supplier change a listing.
func (b *Bench) Update(id string, f func(*sandbox.Listing)) {
	b.T.Helper()
	b.must(b.Market.Update(id, f))
}

// Unthrottled makes a bucket that never runs empty. A single query stays bounded.
func Unthrottled() sandbox.Options {
	return sandbox.Options{Limit: 1 << 30, RestoreRate: 1 << 30, QueryLimit: 2000}
}
