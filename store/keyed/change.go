package keyed

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// Change changes entries by one function, all in one transaction, and returns how many it changed.
func (s *Store) Change(ctx context.Context, ids []string, change func(*store.Entry) bool) (n int, err error) {
	err = s.Update(ctx, writtenKeys(ids...), func(tx *Tx) error {
		n = 0
		for _, id := range ids {
			changed, err := update(tx, id, nil, func(e *store.Entry) (bool, error) { return change(e), nil })
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

// Begin changes one entry by a function that is told who holds some SKUs.
func (s *Store) Begin(
	ctx context.Context, id string, skus []string, change func(e *store.Entry, owners map[string]string) error,
) error {
	return s.Update(ctx, append(writtenKeys(id), skuKeys(skus)...), func(tx *Tx) error {
		held, err := owners(tx, skus)
		if err != nil {
			return err
		}
		_, err = update(tx, id, skus, func(e *store.Entry) (bool, error) {
			err := change(e, held)
			return err == nil, err
		})
		return err
	})
}

// update changes one entry, and reports whether anything was written. Of the SKUs that are asked for it
// is claimed what the record has, though it had it before: another may have held it then.
func update(tx *Tx, id string, asked []string, change func(*store.Entry) (bool, error)) (bool, error) {
	e, err := getEntry(tx, id)
	if err != nil {
		return false, err
	}
	old := e
	old.Record.Variants, old.Record.Holds = slices.Clone(e.Record.Variants), slices.Clone(e.Record.Holds)
	old.Record.Claims = slices.Clone(e.Record.Claims)
	old.Mark, old.Hint, old.Owed = cloned(e.Mark), cloned(e.Hint), cloned(e.Owed)
	if ok, err := change(&e); !ok || err != nil {
		return false, err
	}
	e.Record.ID = id
	if e.Forget {
		if err := forget(tx, old, e); err != nil {
			return false, err
		}
	} else if err := putEntry(tx, old, e, asked); err != nil {
		return false, err
	}
	return true, nil
}

// cloned is a copy of what a pointer points to.
func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// getEntry is what the store holds of one publication, with the times of its marks by this process's
// clock.
func getEntry(tx *Tx, id string) (e store.Entry, err error) {
	if _, err := tx.Get(entryKeys(id)...); err != nil {
		return e, err
	}
	if e.Record, e.Known, err = getRecord(tx, id); err != nil {
		return e, err
	}
	if e.Owed, err = getReport(tx, id); err != nil {
		return e, err
	}
	for _, one := range []struct {
		bucket Bucket
		mark   **store.Mark
	}{{bucketMark, &e.Mark}, {bucketHinted, &e.Hint}} {
		m, ok, err := getMark(tx, one.bucket, id)
		if err != nil {
			return e, err
		}
		if ok {
			m.At = tx.told(m.At)
			*one.mark = &m
		}
	}
	return e, nil
}

// putEntry writes an entry in the place of what it was: record, SKUs, marks, report and history. One that
// is not known has a record and a history once it has a state.
func putEntry(tx *Tx, old, e store.Entry, asked []string) error {
	id := e.Record.ID
	if e.Known || e.Record.State != "" {
		if err := claim(tx, old.Record, e.Record, asked); err != nil {
			return err
		}
		if err := putRecord(tx, old.Record, e.Record, e.Known); err != nil {
			return err
		}
		if err := addEvents(tx, id, e.News); err != nil {
			return err
		}
	}
	if e.Removed {
		if err := putRemoved(tx, id, e.Record.Removal.At); err != nil {
			return err
		}
	}
	if err := moveMark(tx, bucketMark, id, old.Mark, e.Mark); err != nil {
		return err
	}
	if err := moveMark(tx, bucketHinted, id, old.Hint, e.Hint); err != nil {
		return err
	}
	return putReport(tx, id, old.Owed, e.Owed)
}

// forget removes every trace of a publication but what is left of its record, and a mark that arrived
// meanwhile.
func forget(tx *Tx, old, e store.Entry) error {
	id := e.Record.ID
	remove(tx, bucketOutbox, id)
	if err := moveMark(tx, bucketMark, id, old.Mark, e.Mark); err != nil {
		return err
	}
	if err := moveMark(tx, bucketHinted, id, old.Hint, e.Hint); err != nil {
		return err
	}
	if !old.Known {
		return nil
	}
	if err := forgetEvents(tx, id); err != nil {
		return err
	}
	left := store.Record{ID: id}
	if e.Leave {
		left = e.Record.Left()
	}
	change := tally{}
	change.count(old.Record, -1)
	if err := putCounts(tx, change); err != nil {
		return err
	}
	dropKeys(tx, old.Record)
	moveHint(tx, hintProduct, old.Record.Product, "", id)
	moveHint(tx, hintListing, old.Record.Listing, "", id)
	if err := claim(tx, old.Record, left, nil); err != nil {
		return err
	}
	if left.ReportedAt != 0 || len(left.Claims) > 0 {
		if err := putValue(tx, bucketLeft, id, left); err != nil {
			return err
		}
	}
	remove(tx, bucketPublication, id)
	return nil
}
