package keyed

import (
	"context"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// Mark makes publications due, durably. That includes publications that the store does not know
// yet.
func (s *Store) Mark(ctx context.Context, marks ...store.Mark) error {
	if len(marks) == 0 {
		return nil
	}
	ids := make([]string, len(marks))
	for i, m := range marks {
		ids[i] = m.ID
	}
	return s.Update(ctx, append(markKeys(ids...), sequenceKey(bucketMark)), func(tx *Tx) error {
		for _, m := range marks {
			if err := putMark(tx, tx.storedMark(m)); err != nil {
				return err
			}
		}
		return nil
	})
}

// putMark merges a mark, by the store's clock, into the one that is there.
func putMark(tx *Tx, m store.Mark) error {
	gen, err := next(tx, bucketMark)
	if err != nil {
		return err
	}
	old, ok, err := getMark(tx, m.ID)
	if err != nil {
		return err
	}
	if ok {
		m = old.Merge(m)
	}
	m.Gen = gen
	switch {
	case ok && slices.Equal(dueKeys(old), dueKeys(m)): // a webhook of a burst: it is due as it was
		return putValue(tx, bucketMark, m.ID, m)
	case ok:
		return replaceMark(tx, old, m)
	}
	return setMark(tx, m)
}

func markKeys(ids ...string) []Key {
	keys := make([]Key, len(ids))
	for i, id := range ids {
		keys[i] = Key{bucketMark, id}
	}
	return keys
}

// getMarks is the marks of publications by their ids, for one round trip.
func getMarks(tx *Tx, ids ...string) (map[string]store.Mark, error) {
	found, err := tx.Get(markKeys(ids...)...)
	if err != nil {
		return nil, err
	}
	marks := make(map[string]store.Mark, len(found))
	for k, value := range found {
		if marks[k.Key], err = decodeMark(k.Key, value); err != nil {
			return nil, err
		}
	}
	return marks, nil
}

func getMark(tx *Tx, id string) (m store.Mark, ok bool, err error) {
	value, err := get(tx, bucketMark, id)
	if value == nil || err != nil {
		return store.Mark{}, false, err
	}
	m, err = decodeMark(id, value)
	return m, err == nil, err
}

// validMark fails for a mark that the tree would not take.
func validMark(m store.Mark) error {
	switch {
	case !validID(m.ID):
		return fmt.Errorf("mark publication: id of %d bytes", len(m.ID))
	case m.Class >= store.Classes:
		return fmt.Errorf("mark publication %q: class %d is not known", m.ID, m.Class)
	}
	return nil
}

func setMark(tx *Tx, m store.Mark) error {
	if err := validMark(m); err != nil {
		return err
	}
	if err := putValue(tx, bucketMark, m.ID, m); err != nil {
		return err
	}
	for _, key := range dueKeys(m) {
		tx.Put(Key{bucketDue, key}, []byte{})
	}
	return nil
}

// undue takes a mark out of the due set.
func undue(tx *Tx, m store.Mark) {
	for _, key := range dueKeys(m) {
		remove(tx, bucketDue, key)
	}
}

// replaceMark puts a mark in the place of another of the same publication.
func replaceMark(tx *Tx, old, m store.Mark) error {
	undue(tx, old)
	return setMark(tx, m)
}

// moveMark moves the reason of a class to another time.
func moveMark(tx *Tx, m store.Mark, class store.Class, to store.Instant) error {
	return replaceMark(tx, m, m.Moved(class, to))
}

// dropMark removes the mark that led to a piece of work, unless another arrived meanwhile.
func dropMark(tx *Tx, id string, gen uint64) error {
	m, ok, err := getMark(tx, id)
	if err != nil || !ok || m.Gen != gen {
		return err
	}
	undue(tx, m)
	remove(tx, bucketMark, id)
	return nil
}

// Reschedule moves a mark to a later time without touching the record.
func (s *Store) Reschedule(ctx context.Context, d store.Rescheduling) error {
	return s.Update(ctx, markKeys(d.ID), func(tx *Tx) error {
		old, ok, err := getMark(tx, d.ID)
		if err != nil || !ok || old.Gen != d.Gen {
			return err
		}
		d := d
		d.At = tx.stored(d.At)
		return replaceMark(tx, old, old.Rescheduled(d))
	})
}
