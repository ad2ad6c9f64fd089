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
		if due, next, err = dueIn(tx, q); err != nil {
			return err
		}
		keys := make([]Key, len(due))
		for i, m := range due {
			keys[i] = m.key()
		}
		if _, err := tx.Get(keys...); err != nil { // for one round trip
			return err
		}
		for i, at := range due {
			m, err := getMark(tx, keys[i].Bucket, at.ID)
			if err != nil {
				return err
			}
			if m == nil || m.dueKey() != at.dueKey() {
				return fmt.Errorf("%w: %.80q is due without a mark that says so", ErrCorrupt, at.ID)
			}
			due[i] = *m
		}
		return nil
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
	from := ""
	if q.Behind != nil {
		from = q.Behind.dueKey().Key + "\x00"
	}
	for more := true; more; { // until no mark is met that leads on to others
		more = false
		for p, err := range tx.Scan(bucketDue, from, "") {
			if err != nil {
				return nil, 0, err
			}
			m, err := parseDueKey(p.Key)
			if err != nil {
				return nil, 0, err
			}
			switch asked := q.Classes.Has(m.Class); {
			case asked && slices.Contains(q.Skip, m.ID):
				continue
			case asked && m.At < q.From && m.At <= q.To:
				from = Mark{Class: m.Class, At: q.From}.dueKey().Key
			case asked && m.At <= q.To:
				if q.Limit > 0 && len(due) == q.Limit {
					return due, next, nil
				}
				due = append(due, m)
				continue
			default:
				if asked && (next == 0 || m.At < next) {
					next = m.At
				}
				from = string([]byte{byte(m.Class + 1)})
			}
			more = true
			break
		}
	}
	return due, next, nil
}

// dueKey is where a mark is due: by class, then time, then id.
func (m Mark) dueKey() Key {
	return Key{bucketDue, string(append([]byte{byte(m.Class)}, m.At.sortable()...)) + m.ID}
}

func parseDueKey(key string) (Mark, error) {
	const head = 9 // the class, and an instant
	if len(key) <= head || Class(key[0]) >= Classes {
		return Mark{}, fmt.Errorf("%w: %.80q is no mark that is due", ErrCorrupt, key)
	}
	at := Instant(binary.BigEndian.Uint64([]byte(key[1:head]))) //nolint:gosec // it was not negative
	return Mark{ID: key[head:], At: at, Class: Class(key[0])}, nil
}

// sortable is the instant as bytes that sort like it. What is before 1970 is never.
func (i Instant) sortable() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(i, 0))) //nolint:gosec // not negative
}
