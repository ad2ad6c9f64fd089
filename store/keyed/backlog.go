package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// Backlog counts what is due, owed and removed at a moment.
func (s *Store) Backlog(ctx context.Context, now store.Instant) (f store.Backlog, err error) {
	err = s.View(ctx, func(tx Tx) error {
		counts, err := getCounts(tx)
		if err != nil {
			return err
		}
		f = store.Backlog{OnSale: counts[onSale]}
		if f.Due, err = countDue(tx, now); err != nil {
			return err
		}
		for key, value := range tx.Scan(bucketOutbox, "") {
			r, err := decodeReport(key, value)
			if err != nil {
				return err
			}
			f.Owed++
			if r.Refusals > 0 {
				f.Refused++
			}
		}
		f.Removed = removedSince(tx, now-store.Instant(store.RemovalWindow.Milliseconds()))
		return nil
	})
	return f, err
}

// countDue counts the publications that are due.
func countDue(tx Tx, now store.Instant) (n int, err error) {
	for class := range store.Classes {
		for key := range tx.Scan(bucketDue, string([]byte{byte(class)})) {
			k, at, id, valid := parseDueKey(key)
			if !valid || k != class || at > now {
				break
			}
			if class == store.ClassHint { // it may be due for its own reason too
				if m, _, err := getMark(tx, id); err != nil {
					return n, err
				} else if m.Class != store.ClassHint && m.At <= now {
					continue
				}
			}
			n++
		}
	}
	return n, nil
}
