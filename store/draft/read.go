package draft

import (
	"cmp"
	"context"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// List is the records that a query asks for, in the order of their ids, and the id to go on after.
func (s *Store) List(ctx context.Context, q store.Query) (records []store.Record, after string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	records, after, err = s.Reader.List(ctx, store.Query{After: q.After, Limit: q.Limit, Unseen: q.Unseen && !s.anew})
	if err != nil {
		return nil, "", err
	}
	records = slices.DeleteFunc(slices.Clone(records), func(r store.Record) bool {
		_, written := s.entries[r.ID]
		return written
	})
	for _, id := range s.ids() { // those of the span that was read
		if e := s.entries[id]; e.Known && id > q.After && (after == "" || id <= after) {
			records = append(records, e.Record)
		}
	}
	slices.SortFunc(records, func(a, b store.Record) int { return cmp.Compare(a.ID, b.ID) })
	return slices.DeleteFunc(records, func(r store.Record) bool {
		return q.Unseen && s.met[r.ID] || len(q.States) > 0 && !slices.Contains(q.States, r.State)
	}), after, nil
}

// Counts is the number of publications in each state.
func (s *Store) Counts(ctx context.Context) (map[store.State]int, error) {
	counts, err := s.Reader.Counts(ctx)
	if err != nil {
		return nil, err
	}
	if counts == nil {
		counts = map[store.State]int{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, e := range s.entries {
		was, err := s.Reader.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if was.Known {
			counts[was.Record.State]--
		}
		if e.Known {
			counts[e.Record.State]++
		}
		for _, state := range []store.State{was.Record.State, e.Record.State} {
			if counts[state] == 0 {
				delete(counts, state)
			}
		}
	}
	return counts, nil
}

// Backlog counts as the base does, with the removals of the draft.
func (s *Store) Backlog(ctx context.Context, now store.Instant) (store.Backlog, error) {
	f, err := s.Reader.Backlog(ctx, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Removed += len(s.removed)
	if err != nil {
		return f, err
	}
	for id, e := range s.entries {
		was, err := s.Reader.Get(ctx, id)
		if err != nil {
			return f, err
		}
		count := func(o *store.Report, n int) {
			if o == nil {
				return
			}
			f.Owed += n
			if o.Refusals > 0 {
				f.Refused += n
			}
		}
		count(was.Owed, -1)
		count(e.Owed, 1)
	}
	return f, nil
}

// Due is the marks that a query asks for, in the order of work.
func (s *Store) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	skip := slices.Concat(q.Skip, s.ids())
	due, next, err = s.Reader.Due(ctx,
		store.DueQuery{Classes: q.Classes, From: q.From, To: q.To, Skip: skip, Behind: q.Behind, Limit: q.Limit},
	)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range s.ids() {
		m := s.entries[id].Mark
		if m == nil || slices.Contains(q.Skip, id) {
			continue
		}
		rows := []store.Mark{*m}
		if m.Hint != 0 {
			rows = append(rows, m.As(store.ClassHint))
		}
		for _, row := range rows {
			switch {
			case !q.Classes.Has(row.Class) || row.At < q.From || q.Behind != nil && order(row, *q.Behind) <= 0:
			case row.At <= q.To:
				due = append(due, row)
			case next == 0 || row.At < next:
				next = row.At
			}
		}
	}
	slices.SortFunc(due, order)
	if q.Limit > 0 && len(due) > q.Limit {
		due = due[:q.Limit]
	}
	if len(due) > 0 {
		next = 0
	}
	return due, next, nil
}

// order is the order of work.
func order(a, b store.Mark) int {
	return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
}

// Outbox is the reports owed behind an id.
func (s *Store) Outbox(ctx context.Context, after string, limit int) ([]store.Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []store.Report
	base, err := s.Reader.Outbox(ctx, after, 1<<30)
	if err != nil {
		return nil, err
	}
	for _, r := range base {
		if _, ok := s.entries[r.ID]; !ok {
			out = append(out, r)
		}
	}
	for id, e := range s.entries {
		if e.Owed != nil && id > after {
			out = append(out, *e.Owed)
		}
	}
	slices.SortFunc(out, func(a, b store.Report) int { return cmp.Compare(a.ID, b.ID) })
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out, nil
}
