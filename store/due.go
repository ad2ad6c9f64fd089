package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
)

// A DueQuery asks for marks in the order of work.
type DueQuery struct {
	Classes ClassSet
	From    Instant  // due no sooner
	To      Instant  // and no later
	Skip    []string // publications that are left out
	Limit   int      // at most so many; 0 for as many as there are
	Behind  *Mark    // nil, or begin behind this one
}

// Due is the marks that a query asks for, the most urgent class first, then the earliest, then by
// id. What unsigned webhooks ask for is a mark of its own, of ClassHint. Where there are none, next
// is when the first becomes due after q.To, 0 for never.
func (s Store) Due(ctx context.Context, q DueQuery) (due []Mark, next Instant, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		var places []Mark
		if places, next, err = dueIn(tx, q); err != nil {
			return err
		}
		due, err = dueMarks(tx, places)
		return err
	})
	return due, next, err
}

// Marks ranges over what Due returns for a query, some hundreds at a time.
func Marks(ctx context.Context, s Store, q DueQuery) iter.Seq2[Mark, error] {
	q.Limit = pageSize
	return paged(func() (due []Mark, more bool, err error) {
		if due, _, err = s.Due(ctx, q); len(due) > 0 {
			q.Behind = &due[len(due)-1]
		}
		return due, len(due) == q.Limit, err
	})
}

// dueIn is the marks that a query asks for, as far as the due set tells them. next is when the first
// is due of those that are due later.
func dueIn(tx *Tx, q DueQuery) (due []Mark, next Instant, err error) {
	skip, seek := slices.Sorted(slices.Values(q.Skip)), ""
	if q.Behind != nil {
		seek = tx.dueKey(*q.Behind).Key + "\x00"
	}
	for at := "-"; at != seek; { // until no mark is met that leads on to others
		at = seek
		for p, err := range tx.Scan(bucketDue, seek, "") {
			if err != nil {
				return nil, 0, err
			}
			m, err := tx.parseDueKey(p.Key)
			if err != nil {
				return nil, 0, err
			}
			if _, skipped := slices.BinarySearch(skip, m.ID); skipped {
				continue
			}
			if asked := q.Classes.Has(m.Class); !asked || m.At > q.To {
				if asked && (next == 0 || m.At < next) {
					next = m.At
				}
				seek = string([]byte{byte(m.Class + 1)})
				break
			}
			if m.At < q.From {
				seek = tx.dueKey(Mark{Class: m.Class, At: q.From}).Key
				break
			}
			if q.Limit > 0 && len(due) == q.Limit {
				return due, next, nil
			}
			due = append(due, m)
		}
	}
	return due, next, nil
}

// dueMarks is the marks at some places of the due set.
func dueMarks(tx *Tx, places []Mark) (due []Mark, err error) {
	keys := make([]Key, len(places))
	for i, m := range places {
		keys[i] = m.key()
	}
	if _, err := tx.Get(keys...); err != nil {
		return nil, err
	}
	for i, at := range places {
		m, err := getMark(tx, keys[i].Bucket, at.ID)
		if err != nil {
			return nil, err
		}
		if m == nil || m.Class != at.Class || m.At != at.At && at.At != 0 {
			return nil, fmt.Errorf("%w: %.80q is due without a mark that says so", ErrCorrupt, at.ID)
		}
		due = append(due, *m)
	}
	return due, nil
}

// dueKey is where a mark is due: by class, then time, then id.
func (tx *Tx) dueKey(m Mark) Key {
	key := append([]byte{byte(m.Class)}, tx.stored(m.At).sortable()...)
	return Key{bucketDue, string(append(key, m.ID...))}
}

func (tx *Tx) parseDueKey(key string) (Mark, error) {
	const head = 9 // the class, and an instant
	if len(key) <= head || Class(key[0]) >= Classes {
		return Mark{}, fmt.Errorf("%w: %.80q is no mark that is due", ErrCorrupt, key)
	}
	at := Instant(binary.BigEndian.Uint64([]byte(key[1:head]))) //nolint:gosec // it was not negative
	return Mark{ID: key[head:], At: tx.told(at), Class: Class(key[0])}, nil
}

// sortable is the instant as bytes that sort like it. What is before 1970 is never.
func (i Instant) sortable() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(i, 0))) //nolint:gosec // not negative
}
