package keyed

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
)

// Mark makes publications due, durably. That includes publications that the store does not know
// yet.
func (s *Store) Mark(ctx context.Context, marks ...store.Mark) error {
	if len(marks) == 0 {
		return nil
	}
	declared := []Key{sequenceKey(bucketMark)}
	for _, m := range marks {
		declared = append(declared, Key{markBucket(m), m.ID})
	}
	return s.Update(ctx, declared, func(tx *Tx) error {
		for _, m := range marks {
			m.At = tx.stored(m.At)
			if err := putMark(tx, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// markBucket is where a mark is kept: what unsigned webhooks ask for lies beside all else.
func markBucket(m store.Mark) Bucket {
	if m.Class == store.ClassHint {
		return bucketHinted
	}
	return bucketMark
}

// putMark merges a mark, by the store's clock, into the one that is there.
func putMark(tx *Tx, m store.Mark) error {
	if err := validMark(m); err != nil {
		return err
	}
	b := markBucket(m)
	old, ok, err := getMark(tx, b, m.ID)
	if err != nil {
		return err
	}
	if ok {
		m = old.Merge(m)
		return setMark(tx, b, &old, m)
	}
	return setMark(tx, b, nil, m)
}

// moveMark writes a mark, with times by this process's clock, in the place of another one. nil is none.
func moveMark(tx *Tx, b Bucket, id string, old, m *store.Mark) error {
	if old != nil {
		was := *old
		was.At = tx.stored(was.At)
		old = &was
	}
	switch {
	case m == nil && old == nil:
		return nil
	case m == nil:
		remove(tx, bucketDue, dueKey(*old))
		remove(tx, b, id)
		return nil
	}
	now := *m
	now.ID, now.At = id, tx.stored(now.At)
	if old != nil && *old == now {
		return nil
	}
	return setMark(tx, b, old, now)
}

// setMark writes a mark, by the store's clock, in the place of another one, with a number of its own.
func setMark(tx *Tx, b Bucket, old *store.Mark, m store.Mark) error {
	if err := validMark(m); err != nil {
		return err
	}
	if markBucket(m) != b { // it would be due where nobody finds it
		return fmt.Errorf("mark publication %q: class %d in the place of another", m.ID, m.Class)
	}
	gen, err := next(tx, bucketMark)
	if err != nil {
		return err
	}
	m.Gen = gen
	if old == nil || dueKey(*old) != dueKey(m) {
		if old != nil {
			remove(tx, bucketDue, dueKey(*old))
		}
		tx.Put(Key{bucketDue, dueKey(m)}, []byte{})
	}
	return putValue(tx, b, m.ID, m)
}

func markKeys(b Bucket, ids ...string) []Key {
	keys := make([]Key, len(ids))
	for i, id := range ids {
		keys[i] = Key{b, id}
	}
	return keys
}

// getMarks is the marks of publications by their ids, for one round trip.
func getMarks(tx *Tx, b Bucket, ids ...string) (map[string]store.Mark, error) {
	found, err := tx.Get(markKeys(b, ids...)...)
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

func getMark(tx *Tx, b Bucket, id string) (m store.Mark, ok bool, err error) {
	value, err := get(tx, b, id)
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
