package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// A DueQuery asks for marks in the order of work.
type DueQuery struct {
	Classes ClassSet
	From    Instant  // due no sooner
	To      Instant  // and no later
	Skip    []string // publications that are left out
	Limit   int      // at most so many; 0 for as many as there are
}

// Due is the marks that a query asks for, the most urgent class first, then the earliest, then by
// id. What unsigned webhooks ask for is a mark of its own, of ClassHint. Where there are none, next
// is when the first becomes due after q.To, 0 for never.
func (s Store) Due(ctx context.Context, q DueQuery) (due []Mark, next Instant, err error) {
	due, err = view(ctx, s, func(tx *Tx) (due []Mark) {
		due, next = dueIn(tx, q)
		var keys []Key
		for _, m := range due {
			keys = append(keys, m.key())
		}
		for some := range slices.Chunk(keys, pageSize) {
			tx.Get(some...) // for one round trip
		}
		for i, at := range due {
			m := getMark(tx, keys[i].Bucket, at.ID)
			if m == nil || m.dueKey() != at.dueKey() {
				tx.fail(fmt.Errorf("%w: %.80q is due without a mark that says so", ErrCorrupt, at.ID))
				return nil
			}
			due[i] = *m
		}
		return due
	})
	return due, next, err
}

// dueIn is the marks that a query asks for, as far as the due set tells them. next is when the first
// is due of those that are due later.
func dueIn(tx *Tx, q DueQuery) (due []Mark, next Instant) {
	from := ""
	for skipped := true; skipped; { // until no mark is met behind which others are looked for
		skipped = false
		for p := range tx.Scan(bucketDue, from, "") {
			const head = 9 // the class, and an instant
			if len(p.Key) <= head || Class(p.Key[0]) >= Classes {
				tx.fail(fmt.Errorf("%w: %.80q is no mark that is due", ErrCorrupt, p.Key))
				return nil, 0
			}
			at := Instant(binary.BigEndian.Uint64([]byte(p.Key[1:head]))) //nolint:gosec // it was not negative
			m := Mark{ID: p.Key[head:], At: at, Class: Class(p.Key[0])}
			asked := q.Classes.Has(m.Class)
			if asked && at >= q.From && at <= q.To {
				if slices.Contains(q.Skip, m.ID) {
					continue
				}
				if q.Limit > 0 && len(due) == q.Limit {
					return due, next
				}
				due = append(due, m)
				continue
			}
			from = string([]byte{byte(m.Class + 1)})
			if asked && at < q.From && at <= q.To {
				from = Mark{Class: m.Class, At: q.From}.dueKey().Key
			} else if asked && (next == 0 || at < next) {
				next = at
			}
			skipped = true
			break
		}
	}
	return due, next
}

// dueKey is where a mark is due: by class, then time, then id.
func (m Mark) dueKey() Key {
	return Key{bucketDue, string(append([]byte{byte(m.Class)}, m.At.sortable()...)) + m.ID}
}

// sortable is the instant as bytes that sort like it. What is before 1970 is never.
func (i Instant) sortable() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(i, 0))) //nolint:gosec // not negative
}
