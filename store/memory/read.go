package memory

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// Get is what the store holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (e store.Entry, err error) {
	if err := s.begin(ctx); err != nil {
		return e, err
	}
	defer s.mu.Unlock()
	e.Record, e.Known, err = s.record(id)
	if m, ok := s.marks[id]; ok {
		e.Mark = &m
	}
	if r, ok := s.reports[id]; ok {
		e.Owed = &r
	}
	return e, err
}

// listSize is how many records are returned where the query does not say.
const listSize = 256

// List is the records that a query asks for, and the place to go on after.
func (s *Store) List(ctx context.Context, q store.Query) (records []store.Record, after string, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, "", err
	}
	defer s.mu.Unlock()
	most := q.Limit
	if most <= 0 {
		most = listSize
	}
	for _, place := range s.places(q) {
		if place == q.After {
			continue
		}
		if len(records) == most {
			return records, after, nil
		}
		id := place
		if q.Key != (store.Key{}) {
			since, of := store.SplitPlace(place)
			if id = of; q.To != 0 && since > q.To {
				break
			}
		}
		after = place
		if q.Unseen && s.seen[id] {
			continue
		}
		r, _, err := s.record(id)
		if err != nil {
			return nil, "", err
		}
		records = append(records, r)
	}
	return records, "", nil
}

// places are the places of the records that a query may ask for, in their order.
func (c *contents) places(q store.Query) []string {
	if q.Key == (store.Key{}) {
		return c.ids.from(q.After)
	}
	if places, ok := c.index[q.Key]; ok {
		return places.from(q.First())
	}
	return nil
}

// Counts is the number of publications in each state.
func (s *Store) Counts(ctx context.Context) (map[store.State]int, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	counts := map[store.State]int{}
	for id := range s.records {
		r, _, err := s.record(id)
		if err != nil {
			return nil, err
		}
		counts[r.State]++
	}
	return counts, nil
}

// Backlog counts what is due, owed and removed at a moment.
func (s *Store) Backlog(ctx context.Context, now store.Instant) (f store.Backlog, err error) {
	if err := s.begin(ctx); err != nil {
		return f, err
	}
	defer s.mu.Unlock()
	for _, m := range s.marks {
		if m.Soonest() <= now {
			f.Due++
		}
	}
	f.Owed = len(s.reports)
	for _, r := range s.reports {
		if r.Refusals > 0 {
			f.Refused++
		}
	}
	for id := range s.records {
		r, _, err := s.record(id)
		if err != nil {
			return f, err
		}
		if r.OnSale {
			f.OnSale++
		}
	}
	for r := range s.removed {
		if r.at >= now-store.Instant(store.RemovalWindow.Milliseconds()) {
			f.Removed++
		}
	}
	return f, nil
}

// Due is the marks that a query asks for, in the order of work.
func (s *Store) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, 0, err
	}
	defer s.mu.Unlock()
	skip := make(map[string]bool, len(q.Skip))
	for _, id := range q.Skip {
		skip[id] = true
	}
	read := 0 // marks whose reasons were looked at
	for class := range store.Classes {
		if !q.Classes.Has(class) || q.Behind != nil && class < q.Behind.Class {
			continue
		}
		from := row{at: q.From}
		behind := q.Behind != nil && class == q.Behind.Class
		if behind {
			if b := (row{at: q.Behind.At, id: q.Behind.ID}); compareRows(b, from) > 0 {
				from = b
			}
		}
		for _, r := range s.due[class].from(from) {
			switch {
			case skip[r.id], behind && r == (row{at: q.Behind.At, id: q.Behind.ID}):
				continue
			case r.at > q.To:
				if next == 0 || r.at < next {
					next = r.at
				}
			case q.Causes != 0 && q.Among > 0 && read == q.Among:
				return due, next, nil
			case q.Causes != 0 && s.marks[r.id].Cause&q.Causes == 0:
				read++
				continue
			case q.Limit <= 0 || len(due) < q.Limit:
				read++
				due = append(due, s.marks[r.id].As(class))
				continue
			}
			break
		}
	}
	return due, next, nil
}

// Outbox is the owed reports that a query asks for, and the id to go on after.
func (s *Store) Outbox(ctx context.Context, q store.ReportQuery) (reports []store.Report, after string, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, "", err
	}
	defer s.mu.Unlock()
	most := q.Limit
	if most <= 0 {
		most = listSize
	}
	for _, id := range s.owed.from(q.After) {
		if id == q.After || !q.Only.Has(s.reports[id]) {
			continue
		}
		if len(reports) == most {
			return reports, after, nil
		}
		reports, after = append(reports, s.reports[id]), id
	}
	return reports, "", nil
}

// Resolve is the ids of the known publications among those given, and of those whose product or
// listing is named.
func (s *Store) Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	for _, id := range publications {
		if _, known := s.records[id]; known {
			ids = append(ids, id)
		}
	}
	if len(products)+len(listings) > 0 {
		for id := range s.records {
			r, _, err := s.record(id)
			if err != nil {
				return nil, err
			}
			if r.Product != "" && slices.Contains(products, r.Product) ||
				r.Listing != "" && slices.Contains(listings, r.Listing) {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Holders is who holds each of some SKUs, by [store.SKUKey]. A SKU that is free is missing.
func (s *Store) Holders(ctx context.Context, keys ...string) (map[string]store.Owner, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.holders(keys), nil
}

func (c *contents) holders(keys []string) map[string]store.Owner {
	held := make(map[string]store.Owner, len(keys))
	for _, key := range keys {
		if by, ok := c.claims[key]; ok {
			held[key] = by
		}
	}
	return held
}

// CursorOf is the cursor stored under a name.
func (s *Store) CursorOf(ctx context.Context, name string) (store.Cursor, bool, error) {
	if err := s.begin(ctx); err != nil {
		return store.Cursor{}, false, err
	}
	defer s.mu.Unlock()
	c, ok := s.cursors[name]
	return c, ok, nil
}

// Meta is a small fact about the store as a whole.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	if err := s.begin(ctx); err != nil {
		return "", err
	}
	defer s.mu.Unlock()
	return s.facts[key], nil
}
