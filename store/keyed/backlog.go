package keyed

import (
	"context"
	"slices"

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
		if f.Due, err = countDue(tx, tx.stored(now)); err != nil {
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
		for page, err := range pages(tx.Scan(bucketDue, string([]byte{byte(class)}), ""), pageSize) {
			if err != nil {
				return n, err
			}
			due := page
			end := slices.IndexFunc(page, func(p Pair) bool {
				k, at, _, valid := parseDueKey(p.Key)
				return !valid || k != class || at > now
			})
			if end >= 0 {
				due = page[:end]
			}
			n += len(due)
			if class == store.ClassHint { // it may be due for its own reason too
				marks, err := getMarks(tx, bucketMark, dueIDs(due)...)
				if err != nil {
					return n, err
				}
				for _, m := range marks {
					if m.At <= now {
						n--
					}
				}
			}
			if end >= 0 {
				break
			}
		}
	}
	return n, nil
}

// dueIDs is the publications of a page of the due set.
func dueIDs(page []Pair) []string {
	ids := make([]string, len(page))
	for i, p := range page {
		_, _, ids[i], _ = parseDueKey(p.Key)
	}
	return ids
}
