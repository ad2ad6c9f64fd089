package bolt

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// Backlog counts what is due, owed and removed at a moment.
func (s *Store) Backlog(ctx context.Context, now store.Instant) (f store.Backlog, err error) {
	err = s.read(ctx, func(tx *tree) error {
		f = store.Backlog{OnSale: s.counted(nil)[onSale]}
		if f.Due, err = countDue(tx, now); err != nil {
			return err
		}
		c := bucket(tx, bucketOutbox).Cursor()
		for key, value := c.First(); key != nil; key, value = c.Next() {
			r, err := decodeReport(string(key), value)
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
func countDue(tx *tree, now store.Instant) (n int, err error) {
	c := bucket(tx, bucketDue).Cursor()
	for class := range store.Classes {
		for key, _ := c.Seek([]byte{byte(class)}); key != nil; key, _ = c.Next() {
			k, at, id, valid := parseDueKey(key)
			if !valid || k != class || at > now {
				break
			}
			if class == store.ClassHint { // it may be due for its own reason too
				if m, _, err := getMark(tx, string(id)); err != nil {
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
