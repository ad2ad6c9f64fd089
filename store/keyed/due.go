package keyed

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// dueKey sorts by class, then time, then id. The classes are in the order of their codes.
func dueKey(m store.Mark) string {
	key := make([]byte, 0, 9+len(m.ID))
	key = append(key, byte(m.Class))
	key = binary.BigEndian.AppendUint64(key, uint64(max(m.At, 0)))
	return string(append(key, m.ID...))
}

func parseDueKey(key string) (class store.Class, at store.Instant, id string, ok bool) {
	if len(key) < 9 {
		return 0, 0, "", false
	}
	return store.Class(
			key[0],
		//nolint:gosec // written by dueKey from a non-negative Instant
		), store.Instant(
			binary.BigEndian.Uint64([]byte(key[1:9])),
		), key[9:], true
}

// Due is the marks that a query asks for, most urgent class first, then the earliest, then by id. What
// unsigned webhooks ask for is a mark of its own, of ClassHint. Where there are none, next is when the
// first becomes due after q.To, 0 for never.
func (s *Store) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	skip := slices.Clone(q.Skip)
	slices.Sort(skip)
	err = s.View(ctx, func(tx *Tx) error {
		q := q
		q.From, q.To = tx.stored(q.From), tx.stored(q.To)
		if q.Behind != nil {
			behind := *q.Behind
			behind.At = tx.stored(behind.At)
			q.Behind = &behind
		}
		due, next = nil, 0
		empty := store.Class(0) // the classes below it, as far as they are asked about, hold nothing more
		for class := range store.Classes {
			if !q.Classes.Has(class) || q.Behind != nil && class < q.Behind.Class || class < empty {
				continue
			}
			if q.Limit > 0 && len(due) == q.Limit {
				break
			}
			first, behind, err := dueIn(tx, class, q, skip, &due)
			if err != nil {
				return err
			}
			empty = behind
			if first != 0 && (next == 0 || first < next) {
				next = first
			}
		}
		next = tx.told(next)
		for i := range due {
			due[i].At = tx.told(due[i].At)
		}
		return nil
	})
	return due, next, err
}

// dueIn adds the marks of one class but for those in skip, which is sorted, and returns when the first
// after q.To is due. Where it has met the end of the class, reached is the class that is next in the
// due set.
func dueIn(
	tx *Tx, class store.Class, q store.DueQuery, skip []string, due *[]store.Mark,
) (next store.Instant, reached store.Class, err error) {
	from := dueKey(store.Mark{Class: class, At: q.From})
	behind := ""
	if q.Behind != nil && class == q.Behind.Class {
		behind = dueKey(*q.Behind)
	}
	var page []store.Mark // whose marks are not read yet
	for p, err := range tx.Scan(bucketDue, max(from, behind), "") {
		if err != nil {
			return 0, 0, err
		}
		k, at, id, valid := parseDueKey(p.Key)
		_, passed := slices.BinarySearch(skip, id)
		if valid && k == class && (passed || p.Key == behind) {
			continue
		}
		full := len(page) == pageSize || q.Limit > 0 && len(*due)+len(page) == q.Limit
		if end := !valid || k != class || at > q.To; end || full {
			if err := readDue(tx, class, page, due); err != nil {
				return 0, 0, err
			}
			page = page[:0]
			switch {
			case !valid:
				return 0, 0, nil
			case k != class:
				return 0, k, nil
			case at > q.To:
				return at, 0, nil
			case q.Limit > 0 && len(*due) == q.Limit:
				return 0, 0, nil
			}
		}
		page = append(page, store.Mark{ID: id, At: at, Class: class})
	}
	return 0, store.Classes, readDue(tx, class, page, due)
}

// readDue adds the marks of a page of the due set.
func readDue(tx *Tx, class store.Class, page []store.Mark, due *[]store.Mark) error {
	ids := make([]string, len(page))
	for i, m := range page {
		ids[i] = m.ID
	}
	marks, err := getMarks(tx, markBucket(store.Mark{Class: class}), ids...)
	if err != nil {
		return err
	}
	for _, key := range page {
		m, ok := marks[key.ID]
		if !ok || m.Class != class || m.At != key.At && key.At != 0 {
			return fmt.Errorf("%w: %.80q is due without a mark that says so", store.ErrCorrupt, key.ID)
		}
		*due = append(*due, m)
	}
	return nil
}
