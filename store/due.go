package store

import (
	"context"
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
		var keys []Mark
		next, err = eachDue(tx, q, func(m Mark) bool {
			full := q.Limit > 0 && len(keys) == q.Limit
			if !full {
				keys = append(keys, m)
			}
			return !full
		})
		if err != nil {
			return err
		}
		due, err = dueMarks(tx, keys)
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

// eachDue calls each with the marks that a query asks for, whatever its limit, as far as the due
// set tells them, until it returns false. next is when the first is due of those that are due later.
func eachDue(tx *Tx, q DueQuery, each func(Mark) bool) (next Instant, err error) {
	skip, seek := slices.Sorted(slices.Values(q.Skip)), ""
	if q.Behind != nil {
		seek = tx.dueKey(*q.Behind).Key + "\x00"
	}
	for at := "-"; at != seek; { // until no mark is met that leads on to others
		at = seek
		for p, err := range tx.Scan(bucketDue, seek, "") {
			if err != nil {
				return 0, err
			}
			m, err := tx.parseDueKey(p.Key)
			if err != nil {
				return 0, err
			}
			if _, skipped := slices.BinarySearch(skip, m.ID); skipped {
				continue
			}
			if !q.Classes.Has(m.Class) || m.At > q.To {
				if q.Classes.Has(m.Class) && (next == 0 || m.At < next) {
					next = m.At
				}
				seek = string([]byte{byte(m.Class + 1)})
				break
			}
			if m.At < q.From {
				seek = tx.dueKey(Mark{Class: m.Class, At: q.From}).Key
				break
			}
			if !each(m) {
				return next, nil
			}
		}
	}
	return next, nil
}

// dueMarks is the marks of some keys of the due set.
func dueMarks(tx *Tx, keys []Mark) (due []Mark, err error) {
	asked := make([]Key, len(keys))
	for i, m := range keys {
		asked[i] = m.key()
	}
	if _, err := tx.Get(asked...); err != nil {
		return nil, err
	}
	for _, key := range keys {
		m, err := getMark(tx, key.key().Bucket, key.ID)
		if err != nil {
			return nil, err
		}
		if m == nil || m.Class != key.Class || m.At != key.At && key.At != 0 {
			return nil, fmt.Errorf("%w: %.80q is due without a mark that says so", ErrCorrupt, key.ID)
		}
		due = append(due, *m)
	}
	return due, nil
}

// countDue counts the publications that are due at a moment. One that has a hint beside its mark
// counts once.
func countDue(tx *Tx, now Instant) (n int, err error) {
	var hinted []string
	if _, err := eachDue(tx, DueQuery{Classes: AllClasses, To: now}, func(m Mark) bool {
		if n++; m.Class == ClassHint {
			hinted = append(hinted, m.ID)
		}
		return true
	}); err != nil {
		return 0, err
	}
	marks, err := getAll[Mark](tx, bucketMark, hinted)
	for _, m := range marks {
		if tx.told(m.At) <= now {
			n--
		}
	}
	return n, err
}

// dueKey is where a mark is due: by class, then time, then id. The classes are in the order of their
// numbers.
func (tx *Tx) dueKey(m Mark) Key {
	key := append([]byte{byte(m.Class)}, tx.stored(m.At).sortable()...)
	return Key{bucketDue, string(append(key, m.ID...))}
}

func (tx *Tx) parseDueKey(key string) (Mark, error) {
	if len(key) <= 9 || Class(key[0]) >= Classes {
		return Mark{}, fmt.Errorf("%w: %.80q is no mark that is due", ErrCorrupt, key)
	}
	at, id := splitPlace(key[1:])
	return Mark{ID: id, At: tx.told(at), Class: Class(key[0])}, nil
}
