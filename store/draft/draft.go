// Package draft is a store over another that is only read: what is written stays in memory. A dry
// run works on it, and plans from what the run itself would write.
package draft

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/store"
)

// A Store shows what its base holds, with what was written to the draft in its place. Its zero
// value is of no use; see New.
type Store struct {
	store.Reader // the base

	mu      sync.Mutex
	entries map[string]store.Entry // what was written, by publication; not Known: forgotten
	cursors map[string]*store.Cursor
	facts   map[string]string
	met     map[string]bool // by the enumeration under way
	anew    bool            // what the base says of an enumeration counts no longer
	removed map[removal]bool
	gen     uint64
}

// A removal is counted once a moment.
type removal struct {
	id string
	at store.Instant
}

// New makes a draft over a base.
func New(base store.Reader) *Store {
	return &Store{
		Reader:  base,
		entries: map[string]store.Entry{},
		cursors: map[string]*store.Cursor{},
		facts:   map[string]string{},
		met:     map[string]bool{},
		removed: map[removal]bool{},
	}
}

// Get is what the draft holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (store.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(ctx, id)
}

func (s *Store) get(ctx context.Context, id string) (store.Entry, error) {
	if e, ok := s.entries[id]; ok {
		return e, nil
	}
	return s.Reader.Get(ctx, id)
}

// Settle ends a piece of work.
func (s *Store) Settle(ctx context.Context, w store.Settlement) (store.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.get(ctx, w.Record.ID)
	if err != nil {
		return store.Record{}, err
	}
	if w.Merge != nil {
		w.Merge(e.Record, e.Owed, &w)
	}
	if e.Mark != nil && e.Mark.Gen == w.Gen {
		e.Mark = nil
	}
	return s.put(e, w), nil
}

// Change makes changes, and returns how many were made.
func (s *Store) Change(ctx context.Context, changes ...store.Change) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		e, err := s.get(ctx, c.ID)
		if err != nil {
			return n, err
		}
		if e.Owed != nil && c.Acked != 0 && e.Owed.Seq == c.Acked {
			e.Owed = nil
		}
		w := store.Settlement{Record: e.Record}
		if (e.Known || c.Unknown) && c.Apply(e.Known, e.Owed, &w) {
			s.put(e, w)
			n++
		}
	}
	return n, nil
}

// put writes what a settlement holds in place of an entry.
func (s *Store) put(e store.Entry, w store.Settlement) store.Record {
	id := e.Record.ID
	if w.Forget {
		left := store.Record{ID: id}
		switch {
		case !e.Known:
			left = e.Record
		case w.Leave:
			left = w.Record.Left()
		}
		s.entries[id] = store.Entry{Record: left, Mark: e.Mark}
		return store.Record{}
	}
	if w.Removed {
		s.removed[removal{id, w.Record.Removal.At}] = true
	}
	e.Record, e.Known = w.Record, true
	e.Record.ID = id
	switch {
	case w.Report != nil:
		report := *w.Report
		report.ID = id
		s.gen++
		report.Seq = 1<<63 + s.gen
		e.Owed = &report
	case w.Cancel:
		e.Owed = nil
	}
	if w.Next != nil {
		e.Mark = s.merged(e.Mark, *w.Next, id)
	}
	s.entries[id] = e
	return e.Record
}

// merged is a mark with another merged into it.
func (s *Store) merged(old *store.Mark, m store.Mark, id string) *store.Mark {
	m.ID = id
	if old != nil {
		m = old.Merge(m)
	}
	s.gen++
	m.Gen = 1<<63 + s.gen // no mark of the base has it
	return &m
}

// Mark makes publications due.
func (s *Store) Mark(ctx context.Context, marks ...store.Mark) error {
	return s.mend(ctx, func(e *store.Entry, m store.Mark) { e.Mark = s.merged(e.Mark, m, m.ID) }, marks...)
}

// Defer moves a mark to a later time.
func (s *Store) Defer(ctx context.Context, d store.Deferral) error {
	return s.mend(ctx, func(e *store.Entry, _ store.Mark) {
		if e.Mark != nil && e.Mark.Gen == d.Gen {
			m := e.Mark.Deferred(d)
			e.Mark = &m
		}
	}, store.Mark{ID: d.ID})
}

// Hasten has reasons for looks come due at a moment that lies before their own, and returns how
// many.
func (s *Store) Hasten(ctx context.Context, to store.Instant, marks ...store.Mark) (n int, err error) {
	err = s.mend(ctx, func(e *store.Entry, m store.Mark) {
		if e.Mark == nil || e.Mark.Class != m.Class && (m.Class != store.ClassHint || e.Mark.Hint == 0) ||
			e.Mark.As(m.Class).At <= to {
			return
		}
		moved := e.Mark.Moved(m.Class, to)
		e.Mark = &moved
		n++
	}, marks...)
	return n, err
}

// mend changes the entries of some marks.
func (s *Store) mend(ctx context.Context, change func(*store.Entry, store.Mark), marks ...store.Mark) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range marks {
		e, err := s.get(ctx, m.ID)
		if err != nil {
			return err
		}
		change(&e, m)
		s.entries[m.ID] = e
	}
	return nil
}

// Begin notes an attempt. The SKUs are those that the base would give: the draft claims none.
func (s *Store) Begin(ctx context.Context, a store.Attempt) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.get(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	e.Known = true
	e.Record.Attempted |= a.Fields
	e.Record.Open = true
	if a.Apply != nil {
		a.Apply(&e.Record)
	}
	e.Record.ID = a.ID
	s.entries[a.ID] = e
	return s.PreviewSKUs(ctx, a.ID, a.Order, a.SKUs)
}

// ids is the publications that were written, in order.
func (s *Store) ids() []string { return slices.Sorted(maps.Keys(s.entries)) }
