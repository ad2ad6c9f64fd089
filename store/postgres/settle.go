package postgres

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// Begin records an attempt before it is made, and claims the SKUs.
func (s *Store) Begin(ctx context.Context, a store.Attempt) (assigned map[string]string, err error) {
	err = s.write(ctx, need{ids: []string{a.ID}, skus: a.Keys}, func(w *work) error {
		if err := validID(a.ID); err != nil {
			return err
		}
		e := w.add(a.ID)
		r := e.now.record
		assigned = a.Assign(w.holders())
		by := store.OwnersOf(a.ID)
		for _, variant := range a.Order {
			if err := w.claimSKU(assigned[variant], by(variant)); err != nil {
				return err
			}
			r.AddClaim(store.Claim{Variant: variant, SKU: assigned[variant]})
		}
		r.Attempted |= a.Fields
		r.Open = true
		if a.Apply != nil {
			a.Apply(&r)
		}
		r.ID = a.ID
		e.now.record, e.now.known, e.written = r, true, true
		return nil
	})
	return assigned, err
}

// holders is who holds each of the SKUs that a work has read.
func (w *work) holders() map[string]store.Owner {
	held := make(map[string]store.Owner, len(w.skus))
	for sku, c := range w.skus {
		if c.was != "" {
			held[sku] = c.was
		}
	}
	return held
}

// Settle ends a piece of work and returns the record as it was written. A mark that arrived since
// the work began stays, so that it leads to another look.
func (s *Store) Settle(ctx context.Context, settlement store.Settlement) (out store.Record, err error) {
	id := settlement.Record.ID
	err = s.write(ctx, need{ids: []string{id}}, func(w *work) error {
		end, e := settlement, w.add(id) // it may run twice
		if end.Merge != nil {
			end.Merge(e.now.record, e.now.owed, &end)
		}
		e.dropMark(end.Gen)
		out, err = w.put(e, end)
		return err
	})
	return out, err
}

// Change makes changes, all in one transaction, and returns how many were made.
func (s *Store) Change(ctx context.Context, changes ...store.Change) (n int, err error) {
	err = s.write(ctx, need{ids: idsOf(changes)}, func(w *work) error {
		n = 0
		for _, c := range changes {
			changed, err := w.change(c)
			if err != nil {
				return err
			}
			if changed {
				n++
			}
		}
		return nil
	})
	return n, err
}

func idsOf(changes []store.Change) []string {
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.ID
	}
	return ids
}

func (w *work) change(c store.Change) (changed bool, err error) {
	e := w.add(c.ID)
	if e.now.owed != nil && !e.now.newSeq && e.now.owed.Seq == c.Acked {
		e.now.owed, e.written = nil, true
	}
	if !e.now.known && !c.Unknown {
		return false, nil
	}
	end := store.Settlement{Record: e.now.record}
	if !c.Apply(e.now.known, e.now.owed, &end) {
		return false, nil
	}
	_, err = w.put(e, end)
	return err == nil, err
}
