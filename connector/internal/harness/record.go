package harness

import "github.com/pubsync/pubsync/store"

// Record returns a publication's record.
func (b *Bench) Record(id string) store.Record {
	b.T.Helper()
	return b.Entry(id).Record
}

// Entry returns all that the store has of a publication.
func (b *Bench) Entry(id string) store.Entry {
	b.T.Helper()
	e, err := b.Store.Get(b.T.Context(), id)
	if err != nil {
		b.T.Fatal(err)
	}
	return e
}

// Counts counts publications by state.
func (b *Bench) Counts() map[store.State]int {
	b.T.Helper()
	counts, err := b.Store.Counts(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	return counts
}

// State returns a publication's state.
func (b *Bench) State(id string) store.State { return b.Record(id).State }

// Status returns a publication's status at the marketplace.
func (b *Bench) Status(id string) string {
	p, _ := b.Market.Publication(id)
	return p.Status
}

// History returns a publication's events, oldest first.
func (b *Bench) History(id string) []store.Event {
	b.T.Helper()
	events, err := b.Store.History(b.T.Context(), id)
	if err != nil {
		b.T.Fatal(err)
	}
	return events
}
