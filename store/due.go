package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// A DueQuery selects marks.
type DueQuery struct {
	Classes ClassSet
	From    Instant  // inclusive
	To      Instant  // inclusive
	Skip    []string // publications
	Limit   int      // 0: none
}

// Due returns the marks of a query by class, time and id. If there are none, next is when the first falls due after
// q.To, 0 for never.
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

// dueIn returns marks with ID, At and Class alone, as the due set has them.
func dueIn(tx *Tx, q DueQuery) (due []Mark, next Instant) {
	from := ""
	for skipped := true; skipped; { // a new scan after each jump
		skipped = false
		for p := range tx.Scan(bucketDue, from, "") {
			const head = 9 // class and instant
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

func (m Mark) dueKey() Key {
	return Key{bucketDue, string(append([]byte{byte(m.Class)}, m.At.sortable()...)) + m.ID}
}

// sortable returns bytes that sort like the instant.
func (i Instant) sortable() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(i, 0))) //nolint:gosec // not negative
}
