package harness

import (
	"fmt"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Record is what the store holds of a publication.
func (b *Bench) Record(id string) store.Record {
	b.T.Helper()
	return b.Entry(id).Record
}

// Entry is all that the store holds of one publication.
func (b *Bench) Entry(id string) store.Entry {
	b.T.Helper()
	e, err := b.Store.Get(b.T.Context(), id)
	if err != nil {
		b.T.Fatal(err)
	}
	return e
}

// Counts is the number of publications in each state.
func (b *Bench) Counts() map[store.State]int {
	b.T.Helper()
	counts, err := b.Store.Counts(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	return counts
}

// Backlog is what is due and owed at a moment.
func (b *Bench) Backlog(now time.Time) store.Backlog {
	b.T.Helper()
	f, err := b.Store.Backlog(b.T.Context(), store.At(now))
	if err != nil {
		b.T.Fatal(err)
	}
	return f
}

// State is the state of a publication.
func (b *Bench) State(id string) store.State { return b.Record(id).State }

// Status is the status of a publication at the marketplace.
func (b *Bench) Status(id string) string {
	p, _ := b.Market.Publication(id)
	return p.Status
}

// Cause is why a publication is due: "signed" or "unsigned" for a webhook, "" where it is not due,
// else its mark.
func Cause(t *testing.T, s store.Store, id string) string {
	t.Helper()
	e, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case e.Hint != nil:
		return "unsigned"
	case e.Mark == nil:
		return ""
	case e.Mark.Class == store.ClassHook:
		return "signed"
	}
	return fmt.Sprintf("%+v", *e.Mark)
}

// History is what happened to a publication, the oldest event first.
func (b *Bench) History(id string) []store.Event {
	b.T.Helper()
	events, err := b.Store.History(b.T.Context(), id)
	if err != nil {
		b.T.Fatal(err)
	}
	return events
}
