package harness

import "github.com/pubsync/pubsync/store"

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

// State is the state of a publication.
func (b *Bench) State(id string) store.State { return b.Record(id).State }

// Status is the status of a publication at the marketplace.
func (b *Bench) Status(id string) string {
	p, _ := b.Market.Publication(id)
	return p.Status
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
