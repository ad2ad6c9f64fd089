package postgres

import (
	"fmt"

	"github.com/pubsync/pubsync/store"
)

// A work is one transaction as it is decided on: what was read, and what is to be written in its
// place. Nothing is locked meanwhile. Where a row is not as it was read, flush fails, and the whole
// is decided once more.
type work struct {
	entries map[string]*entry
	order   []*entry
	skus    map[string]*claim // by store.SKUKey, of those that were asked for
	freed   []release
	seen    []string
	anew    bool // nothing was met yet
	removed []removal
	cursors map[string]*store.Cursor // nil: to be removed
	ahead   store.Instant            // of the database's clock
}

// An entry is one publication of a work.
type entry struct {
	id      string
	was     held
	now     held
	written bool // now takes the place of was

	mark      *store.Mark
	markWas   int64 // the version of the mark's row, 0 where there is none
	markNew   bool  // the mark gets a generation of its own
	markMoved bool  // the mark takes the place of the row's
}

// A held is what the table holds of a publication.
type held struct {
	version int64 // 0: there is no row
	record  store.Record
	data    []byte // the record as another store has encoded it, nil: as this one does
	known   bool
	owed    *store.Report
	newSeq  bool // owed gets a sequence of its own
}

// A claim is who holds a SKU.
type claim struct{ was, now store.Owner }

// A release is a SKU that its owner holds no longer.
type release struct {
	sku string
	by  store.Owner
}

// A removal is who was taken out of sale, and when.
type removal struct {
	id string
	at store.Instant
}

func newWork() *work {
	return &work{
		entries: map[string]*entry{}, skus: map[string]*claim{}, cursors: map[string]*store.Cursor{},
	}
}

// add makes an entry that nothing is known of yet.
func (w *work) add(id string) *entry {
	e, ok := w.entries[id]
	if !ok {
		e = &entry{id: id}
		e.was.record.ID, e.now.record.ID = id, id
		w.entries[id] = e
		w.order = append(w.order, e)
	}
	return e
}

// validID fails for an id that no publication can have.
func validID(id string) error {
	if id == "" || len(id) > store.MaxID {
		return fmt.Errorf("write store: id of %d bytes", len(id))
	}
	return nil
}

// validMark fails for a mark that cannot be kept.
func validMark(m store.Mark) error {
	if err := validID(m.ID); err != nil {
		return err
	}
	if m.Class >= store.Classes {
		return fmt.Errorf("mark publication %q: class %d is not known", m.ID, m.Class)
	}
	return nil
}

// merge makes a publication due. The mark is merged into the one that is there.
func (e *entry) merge(m store.Mark) error {
	if err := validMark(m); err != nil {
		return err
	}
	if e.mark != nil {
		m = e.mark.Merge(m)
	}
	e.mark, e.markNew, e.markMoved = &m, true, true
	return nil
}

// setMark puts a mark in the place of the one that is there, whose generation it keeps.
func (e *entry) setMark(m store.Mark) { e.mark, e.markMoved = &m, true }

// dropMark removes the mark that led to a piece of work, unless another arrived meanwhile.
func (e *entry) dropMark(gen uint64) {
	if e.mark != nil && !e.markNew && e.mark.Gen == gen {
		e.mark, e.markMoved = nil, true
	}
}

// put writes what a settlement holds in place of the record that is there: record, SKUs, mark and
// report.
func (w *work) put(e *entry, s store.Settlement) (store.Record, error) {
	r, old := s.Record, e.now
	if r.ID != e.id {
		return r, fmt.Errorf("settle publication %q: record is of %q", e.id, r.ID)
	}
	if err := validID(e.id); err != nil {
		return r, err
	}
	if s.Forget {
		w.forget(e, s)
		return store.Record{}, nil
	}
	open, free := store.SplitClaims(old.record, r)
	r.Claims = open
	w.release(e.id, free)
	e.now.record, e.now.known, e.written = r, true, true
	if s.Removed {
		w.removed = append(w.removed, removal{e.id, r.Removal.At})
	}
	if s.Next != nil {
		next := *s.Next
		next.ID = e.id
		if err := e.merge(next); err != nil {
			return r, err
		}
	}
	switch {
	case s.Cancel:
		e.now.owed = nil
	case s.Report != nil:
		report := *s.Report
		report.ID, report.Seq = e.id, 0
		e.now.owed, e.now.newSeq = &report, true
	}
	return r, nil
}

// forget removes every trace of a publication but what is left of its record, and a mark that
// arrived meanwhile.
func (w *work) forget(e *entry, s store.Settlement) {
	if e.now.owed != nil {
		e.now.owed, e.written = nil, true
	}
	if !e.now.known {
		return
	}
	old, left := e.now.record, store.Record{ID: e.id}
	if s.Leave {
		left = s.Record.Left()
	}
	if len(left.Claims) == 0 {
		_, free := store.SplitClaims(old, store.Record{ID: e.id, WrittenAt: 1})
		w.release(e.id, free)
	}
	e.now.record, e.now.known, e.written = left, false, true
}

// there reports whether anything is held of a publication.
func (r held) there() bool {
	return r.known || r.owed != nil || r.record.ReportedAt != 0 || len(r.record.Claims) > 0
}

func (w *work) release(id string, free []store.Claim) {
	by := store.OwnersOf(id)
	for _, c := range free {
		w.freed = append(w.freed, release{store.SKUKey(c.SKU), by(c.Variant)})
	}
}

// claimSKU gives a SKU to a variant.
func (w *work) claimSKU(sku string, by store.Owner) error {
	if sku == "" || len(sku) > store.MaxID {
		return nil
	}
	c, asked := w.skus[store.SKUKey(sku)]
	if !asked {
		return fmt.Errorf("claim SKU %q: it is none of the attempt's keys", sku)
	}
	c.now = by
	return nil
}
