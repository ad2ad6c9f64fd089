package keyed

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
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

// dueKeys is the keys of the due set that a mark has.
func dueKeys(m store.Mark) []string {
	keys := []string{dueKey(m)}
	if m.Hint != 0 {
		keys = append(keys, dueKey(m.As(store.ClassHint)))
	}
	return keys
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

// Due is the marks that a query asks for, most urgent class first, then the earliest, then by id. A
// mark that is due for an unsigned webhook besides its own reason is returned for each, with
// ClassHint for the webhook. Where there are none, next is when the first becomes due after q.To, 0
// for never.
func (s *Store) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	skip := slices.Clone(q.Skip)
	slices.Sort(skip)
	err = s.View(ctx, func(tx *Tx) error {
		q := q
		q.From, q.To = tx.stored(q.From), tx.stored(q.To)
		if q.Behind != nil {
			behind := tx.storedMark(*q.Behind)
			q.Behind = &behind
		}
		due, next = nil, 0
		left := q.Among
		if q.Causes == 0 || left <= 0 {
			left = math.MaxInt
		}
		empty := store.Class(0) // the classes below it, as far as they are asked about, hold nothing more
		for class := range store.Classes {
			if !q.Classes.Has(class) || q.Behind != nil && class < q.Behind.Class || class < empty {
				continue
			}
			if q.Limit > 0 && len(due) == q.Limit || left == 0 {
				break
			}
			first, behind, err := dueIn(tx, class, q, skip, &due, &left)
			if err != nil {
				return err
			}
			empty = behind
			if first != 0 && (next == 0 || first < next) {
				next = first
			}
		}
		next = tx.told(next)
		for i, m := range due {
			due[i] = tx.toldMark(m)
		}
		return nil
	})
	return due, next, err
}

// dueIn adds the marks of one class but for those in skip, which is sorted, reads at most left
// marks, and returns when the first after q.To is due. Where it has met the end of the class,
// reached is the class that is next in the due set.
func dueIn(
	tx *Tx, class store.Class, q store.DueQuery, skip []string, due *[]store.Mark,
	left *int,
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
		if end := !valid || k != class || at > q.To || *left == 0; end || full {
			if err := readDue(tx, class, q.Causes, page, due); err != nil {
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
			case *left == 0 || q.Limit > 0 && len(*due) == q.Limit:
				return 0, 0, nil
			}
		}
		*left--
		page = append(page, store.Mark{ID: id, At: at})
	}
	return 0, store.Classes, readDue(tx, class, q.Causes, page, due)
}

// readDue adds the marks of a page of the due set that have one of some causes, 0 for any.
func readDue(tx *Tx, class store.Class, causes store.Cause, page []store.Mark, due *[]store.Mark) error {
	ids := make([]string, len(page))
	for i, m := range page {
		ids[i] = m.ID
	}
	marks, err := getMarks(tx, ids...)
	if err != nil {
		return err
	}
	for _, key := range page {
		m, ok := marks[key.ID]
		if as := m.As(class); !ok || as.Class != class || as.At != key.At && key.At != 0 {
			return fmt.Errorf("%w: %.80q is due without a mark that says so", store.ErrCorrupt, key.ID)
		}
		if causes == 0 || m.Cause&causes != 0 {
			*due = append(*due, m.As(class))
		}
	}
	return nil
}

// dueIDs is the publications of a page of the due set.
func dueIDs(page []Pair) []string {
	ids := make([]string, len(page))
	for i, p := range page {
		_, _, ids[i], _ = parseDueKey(p.Key)
	}
	return ids
}

// BringForward makes reasons for looks due at an earlier moment, and returns how many. It skips a
// reason that is gone or due sooner.
func (s *Store) BringForward(ctx context.Context, to store.Instant, marks ...store.Mark) (n int, err error) {
	ids := make([]string, len(marks))
	for i, m := range marks {
		ids[i] = m.ID
	}
	err = s.Update(ctx, markKeys(ids...), func(tx *Tx) error {
		n = 0
		to := tx.stored(to)
		for _, m := range marks {
			now, ok, err := getMark(tx, m.ID)
			if err != nil {
				return err
			}
			as := now.As(m.Class)
			if !ok || as.Class != m.Class || as.At <= to {
				continue
			}
			if err := moveMark(tx, now, m.Class, to); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}
