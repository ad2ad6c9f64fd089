package store_test

import (
	stdcmp "cmp"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// A model is the store as one would explain it: an entry of each publication, and no more.
type model struct {
	entries   map[string]store.Entry // a number that the store gives anew is 0, until Check learns it
	histories map[string][]store.Event
	owners    map[string]string // by the key of a SKU
	seen      map[string]bool
	cursor    store.Cursor
	gen, seq  uint64 // the highest met
}

// entry is what the model holds of a publication, to be changed.
func (m *model) entry(id string) store.Entry {
	e, ok := m.entries[id]
	if !ok {
		e.Record.ID = id
	}
	e.Mark, e.Hint, e.Owed = clone(e.Mark), clone(e.Hint), clone(e.Owed)
	e.Record.Claims = slices.Clone(e.Record.Claims)
	return e
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// mark makes a publication due.
func (m *model) mark(n store.Mark) {
	e := m.entry(n.ID)
	of := &e.Mark
	if n.Class == store.ClassHint {
		of = &e.Hint
	}
	if *of != nil {
		n = (*of).Merge(n)
	}
	n.Gen = 0
	*of = &n
	m.entries[n.ID] = e
}

// change changes an entry. Of the SKUs in asked those that the record has are claimed anew.
func (m *model) change(id string, asked []string, by edit) bool {
	old, e := m.entry(id), m.entry(id)
	if !by(&e) {
		return false
	}
	e.Record.ID = id
	for _, moved := range []struct{ old, now *store.Mark }{{old.Mark, e.Mark}, {old.Hint, e.Hint}} {
		if moved.now != nil {
			if moved.now.ID = id; moved.old == nil || *moved.old != *moved.now {
				moved.now.Gen = 0
			}
		}
	}
	next := store.Entry{Record: old.Record, Known: old.Known, Mark: e.Mark, Hint: e.Hint, Owed: e.Owed}
	switch {
	case e.Forget:
		if next.Owed = nil; old.Known {
			next.Record, next.Known = store.Record{ID: id}, false
			if e.Leave {
				next.Record = e.Record.Left()
			}
			delete(m.histories, id)
		}
	case old.Known || e.Record.State != "":
		next.Record, next.Known = e.Record, true
		m.histories[id] = append(m.histories[id], e.News...)
	}
	if next.Owed != nil {
		next.Owed.ID = id
	}
	had, has := old.Record.SKUKeys(), next.Record.SKUKeys()
	for _, key := range had {
		if !slices.Contains(has, key) && m.owners[key] == id {
			delete(m.owners, key)
		}
	}
	for _, key := range has {
		wanted := !slices.Contains(had, key) || next.Known && slices.Contains(asked, key)
		if wanted && m.owners[key] == "" {
			m.owners[key] = id
		}
	}
	m.entries[id] = next
	return true
}

// known is the records by their ids.
func (m *model) known() map[string]store.Record {
	records := map[string]store.Record{}
	for id, e := range m.entries {
		if e.Known {
			records[id] = e.Record
		}
	}
	return records
}

// reports is the reports that are owed, in the order of the ids.
func (m *model) reports(only store.Owed) (reports []store.Report) {
	for _, id := range slices.Sorted(maps.Keys(m.entries)) {
		if r := m.entries[id].Owed; r != nil && only.Has(*r) {
			reports = append(reports, *r)
		}
	}
	return reports
}

// due is the marks of some classes in the order of work, but for those of one publication.
func (m *model) due(classes store.ClassSet, from, to store.Instant, but string) (due []store.Mark) {
	for id, e := range m.entries {
		for _, n := range []*store.Mark{e.Mark, e.Hint} {
			if n != nil && id != but && classes.Has(n.Class) && n.At >= from && n.At <= to {
				due = append(due, *n)
			}
		}
	}
	slices.SortFunc(due, func(a, b store.Mark) int {
		return stdcmp.Or(stdcmp.Compare(a.Class, b.Class), stdcmp.Compare(a.At, b.At), stdcmp.Compare(a.ID, b.ID))
	})
	return due
}
