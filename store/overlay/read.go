package overlay

import (
	"context"
	"slices"
	"sort"

	"github.com/pubsync/pubsync/store"
)

// Get is what the overlay holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (store.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.top.Get(ctx, id)
	if err != nil || s.copied[id] {
		return e, err
	}
	below, err := s.base.Get(ctx, id)
	below.Mark, below.Owed = e.Mark, e.Owed
	return below, err
}

// List is the records that a query asks for, and the place to go on after.
func (s *Store) List(ctx context.Context, q store.Query) (records []store.Record, after string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	below := q
	below.Unseen = q.Unseen && !s.anew
	records, after, err = s.base.List(ctx, below)
	if err != nil {
		return nil, "", err
	}
	unseen := map[string]bool{} // of those that were copied
	records = slices.DeleteFunc(records, func(r store.Record) bool {
		unseen[r.ID] = s.copied[r.ID]
		return s.copied[r.ID]
	})
	above := q
	above.Limit = 0
	for r, err := range store.Records(ctx, s.top, above) {
		if err != nil {
			return nil, "", err
		}
		if after != "" && place(q, r) > after {
			break
		}
		if !below.Unseen || unseen[r.ID] || !s.known[r.ID] {
			records = append(records, r)
		}
	}
	sort.Slice(records, func(i, j int) bool { return place(q, records[i]) < place(q, records[j]) })
	if q.Limit > 0 && len(records) > q.Limit {
		records = records[:q.Limit]
		after = place(q, records[q.Limit-1])
	}
	return records, after, nil
}

// place is where a record that a query found stands in its order.
func place(q store.Query, r store.Record) string {
	p, _ := q.Place(r)
	return p
}

// Counts is the number of publications in each state.
func (s *Store) Counts(ctx context.Context) (map[store.State]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts, err := s.top.Counts(ctx)
	if err != nil {
		return nil, err
	}
	below, err := s.base.Counts(ctx)
	if err != nil {
		return nil, err
	}
	for state, n := range below {
		counts[state] += n - s.were[state]
		if counts[state] <= 0 { // below zero where the base was written meanwhile
			delete(counts, state)
		}
	}
	return counts, nil
}

// Backlog counts what is due, owed and removed at a moment.
func (s *Store) Backlog(ctx context.Context, now store.Instant) (store.Backlog, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.top.Backlog(ctx, now)
	if err != nil {
		return f, err
	}
	below, err := s.base.Backlog(ctx, now)
	f.Removed += below.Removed
	f.OnSale = max(f.OnSale+below.OnSale-s.onSale, 0) // below zero where the base was written meanwhile
	return f, err
}

// Due is the marks that a query asks for, in the order of work.
func (s *Store) Due(ctx context.Context, q store.DueQuery) ([]store.Mark, store.Instant, error) {
	return s.top.Due(ctx, q)
}

// Outbox is the owed reports that a query asks for, and the id to go on after.
func (s *Store) Outbox(ctx context.Context, q store.ReportQuery) ([]store.Report, string, error) {
	return s.top.Outbox(ctx, q)
}

// Resolve is the ids of the known publications among those given, and of those whose product or
// listing is named.
func (s *Store) Resolve(ctx context.Context, publications, products, listings []string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	below, err := s.base.Resolve(ctx, publications, products, listings)
	if err != nil {
		return nil, err
	}
	ids, err := s.top.Resolve(ctx, publications, products, listings)
	for _, id := range below {
		if !s.copied[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// Holders is who holds each of some SKUs.
func (s *Store) Holders(ctx context.Context, keys ...string) (map[string]store.Owner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holders(ctx, keys)
}

// holders is Holders, with s.mu held.
func (s *Store) holders(ctx context.Context, keys []string) (map[string]store.Owner, error) {
	held, err := s.top.Holders(ctx, keys...)
	if err != nil {
		return nil, err
	}
	below, err := s.base.Holders(ctx, keys...)
	for key, by := range below {
		if _, ok := held[key]; !ok && !s.owners[by.Publication()] { // else it has let it go
			held[key] = by
		}
	}
	return held, err
}

// CursorOf is the cursor stored under a name.
func (s *Store) CursorOf(ctx context.Context, name string) (store.Cursor, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places[name] {
		return s.top.CursorOf(ctx, name)
	}
	return s.base.CursorOf(ctx, name)
}

// Meta is a small fact about the store as a whole.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.facts[key] {
		return s.top.Meta(ctx, key)
	}
	return s.base.Meta(ctx, key)
}
