package keyed

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
)

// Settle ends a piece of work and returns the record as it was written. A mark that arrived since
// the work began stays, so that it leads to another look.
func (s *Store) Settle(ctx context.Context, w store.Settlement) (store.Record, error) {
	var out store.Record
	id := w.Record.ID
	err := s.Update(ctx, writtenKeys(id), func(tx *Tx) error {
		w := w // the transaction may run twice
		now, known, err := getRecord(tx, id)
		if err != nil {
			return err
		}
		owed, err := getReport(tx, id)
		if err != nil {
			return err
		}
		if w.Merge != nil {
			w.Merge(now, owed, &w)
		}
		if err := dropMark(tx, id, w.Gen); err != nil {
			return err
		}
		out, err = put(tx, now, known, w)
		return err
	})
	return out, err
}

// Change makes changes, all in one transaction, and returns how many were made.
func (s *Store) Change(ctx context.Context, changes ...store.Change) (n int, err error) {
	err = s.Update(ctx, writtenKeys(idsOf(changes)...), func(tx *Tx) error {
		n = 0
		for _, c := range changes {
			changed, err := change(tx, c)
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

func change(tx *Tx, c store.Change) (changed bool, err error) {
	owed, err := getReport(tx, c.ID)
	if err != nil {
		return false, err
	}
	if owed != nil && owed.Seq == c.Acked {
		remove(tx, bucketOutbox, c.ID)
		owed = nil
	}
	r, known, err := getRecord(tx, c.ID)
	if err != nil || !known && !c.Unknown {
		return false, err
	}
	w := store.Settlement{Record: r}
	if !c.Apply(known, owed, &w) {
		return false, nil
	}
	_, err = put(tx, r, known, w)
	return err == nil, err
}

// put writes what a settlement holds, in place of the record that is there: record, SKUs, mark and
// report.
func put(tx *Tx, old store.Record, known bool, w store.Settlement) (store.Record, error) {
	r := w.Record
	if r.ID != old.ID {
		return r, fmt.Errorf("settle publication %q: record is of %q", old.ID, r.ID)
	}
	if w.Forget {
		left := store.Record{ID: r.ID}
		if w.Leave {
			left = r.Left()
		}
		return store.Record{}, forgetRecord(tx, old, left, known)
	}
	var err error
	if r.Claims, err = settleClaims(tx, old, r); err != nil {
		return r, err
	}
	if err := moveEvents(tx, old, &r); err != nil {
		return r, err
	}
	if err := putRecord(tx, old, r, known); err != nil {
		return r, err
	}
	if w.Removed {
		if err := putRemoved(tx, r.ID, r.Removal.At); err != nil {
			return r, err
		}
	}
	if w.Next != nil {
		next := tx.storedMark(*w.Next)
		next.ID = r.ID
		if err := putMark(tx, next); err != nil {
			return r, err
		}
	}
	return r, putReport(tx, r.ID, w.Report, w.Cancel)
}
