package storetest

import (
	"bytes"
	"context"
	"maps"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// Twice is a store that runs each function which it is given twice, as an engine may, each time on
// values of its own. A function whose two runs do not agree fails the test: it is no pure function
// of what it is given.
func Twice(t testing.TB, s Store) Store { return twice{s, t} }

type twice struct {
	Store
	t testing.TB
}

func (s twice) Begin(ctx context.Context, a store.Attempt) (map[string]string, error) {
	if choose := a.Choose; choose != nil {
		a.Choose = func(held map[string]store.Owner) map[string]string {
			again, first := choose(maps.Clone(held)), choose(held)
			if !maps.Equal(again, first) {
				s.t.Errorf("Begin %q: a function that is run twice gives %v, then %v", a.ID, again, first)
			}
			return first
		}
	}
	if apply := a.Apply; apply != nil {
		a.Apply = func(r *store.Record) {
			again := s.clone(*r)
			apply(&again)
			apply(r)
			s.agree("Begin", *r, again)
		}
	}
	return s.Store.Begin(ctx, a)
}

func (s twice) Settle(ctx context.Context, w store.Settlement) (store.Record, error) {
	if merge := w.Merge; merge != nil {
		w.Merge = func(now store.Record, owed *store.Report, w *store.Settlement) {
			again := *w
			again.Record = s.clone(w.Record)
			merge(s.clone(now), copied(owed), &again)
			merge(now, owed, w)
			s.same("Settle", *w, again)
		}
	}
	return s.Store.Settle(ctx, w)
}

func (s twice) Change(ctx context.Context, changes ...store.Change) (int, error) {
	return s.Store.Change(ctx, s.changes("Change", changes)...)
}

func (s twice) PutPage(ctx context.Context, p store.Page) error {
	p.Changes = s.changes("PutPage", p.Changes)
	return s.Store.PutPage(ctx, p)
}

func (s twice) changes(method string, changes []store.Change) []store.Change {
	all := make([]store.Change, len(changes))
	for i, c := range changes {
		apply := c.Apply
		c.Apply = func(known bool, owed *store.Report, w *store.Settlement) bool {
			again := *w
			again.Record = s.clone(w.Record)
			first := apply(known, copied(owed), &again)
			second := apply(known, owed, w)
			if first != second {
				s.t.Errorf("%s %q: a function that is run twice writes %t, then %t", method, c.ID, first, second)
			}
			if first && second {
				s.same(method, *w, again)
			}
			return second
		}
		all[i] = c
	}
	return all
}

// same reports settlements that differ.
func (s twice) same(method string, a, b store.Settlement) {
	s.t.Helper()
	s.agree(method, a.Record, b.Record)
	if a.Cancel != b.Cancel || a.Forget != b.Forget || a.Leave != b.Leave || a.Removed != b.Removed {
		s.t.Errorf("%s %q: a function that is run twice settles %+v, then %+v", method, a.Record.ID, b, a)
	}
	if !equal(a.Next, b.Next) {
		s.t.Errorf("%s %q: a function that is run twice marks %+v, then %+v", method, a.Record.ID, b.Next, a.Next)
	}
	if !equal(a.Report, b.Report) {
		s.t.Errorf("%s %q: a function that is run twice owes %+v, then %+v", method, a.Record.ID, b.Report, a.Report)
	}
}

// agree reports records that differ.
func (s twice) agree(method string, a, b store.Record) {
	s.t.Helper()
	if !bytes.Equal(s.encode(a), s.encode(b)) {
		s.t.Errorf("%s %q: a function that is run twice makes %+v, then %+v", method, a.ID, b, a)
	}
}

func (s twice) encode(r store.Record) []byte {
	s.t.Helper()
	data, err := value.Encode(r.ID, r)
	if err != nil {
		s.t.Errorf("record %q: %v", r.ID, err)
	}
	return data
}

// clone is a record that shares nothing with another.
func (s twice) clone(r store.Record) store.Record {
	s.t.Helper()
	out := store.Record{ID: r.ID}
	if err := value.Decode("record", r.ID, s.encode(r), &out); err != nil {
		s.t.Errorf("record %q: %v", r.ID, err)
	}
	return out
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
