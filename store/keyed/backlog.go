package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// Backlog counts what is due, owed and removed at a moment.
func (s *Store) Backlog(ctx context.Context, now store.Instant) (f store.Backlog, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		counts, err := getCounts(tx)
		if err != nil {
			return err
		}
		f = store.Backlog{OnSale: counts[onSale]}
		if f.Due, err = countDue(tx, now); err != nil {
			return err
		}
		for p, err := range tx.Scan(bucketOutbox, "", "") {
			if err != nil {
				return err
			}
			r, err := decodeReport(p.Key, p.Value)
			if err != nil {
				return err
			}
			f.Owed++
			if r.Refusals > 0 {
				f.Refused++
			}
		}
		f.Removed, err = removedSince(tx, now-store.Instant(store.RemovalWindow.Milliseconds()))
		return err
	})
	return f, err
}

// countDue counts the publications that are due.
func countDue(tx *Tx, now store.Instant) (n int, err error) {
	for class := range store.Classes {
		end := dueKey(store.Mark{Class: class, At: now + 1})
		for page, err := range pages(tx.Scan(bucketDue, string([]byte{byte(class)}), end), pageSize) {
			if err != nil {
				return n, err
			}
			n += len(page)
			if class != store.ClassHint {
				continue
			}
			marks, err := getMarks(tx, dueIDs(page)...)
			if err != nil {
				return n, err
			}
			for _, m := range marks { // it may be due for its own reason too
				if m.Class != store.ClassHint && m.At <= now {
					n--
				}
			}
		}
	}
	return n, nil
}
