package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/pubsync/pubsync/store"
	"go.etcd.io/bbolt"
)

// dueKey sorts by class, then time, then id. The classes are in the order of their codes.
func dueKey(m store.Mark) []byte {
	key := make([]byte, 0, 9+len(m.ID))
	key = append(key, byte(m.Class))
	key = binary.BigEndian.AppendUint64(key, uint64(max(m.At, 0)))
	return append(key, m.ID...)
}

func parseDueKey(key []byte) (class store.Class, at store.Instant, id []byte, ok bool) {
	if len(key) < 9 {
		return 0, 0, nil, false
	}
	return store.Class(
			key[0],
		//nolint:gosec // written by dueKey from a non-negative Instant
		), store.Instant(
			binary.BigEndian.Uint64(key[1:9]),
		), key[9:], true
}

// Due is the marks that a query asks for, most urgent class first, then the earliest, then by id. A
// mark that is due for an unsigned webhook besides its own reason is returned for each, with
// ClassHint for the webhook. Where there are none, next is when the first becomes due after q.To, 0
// for never.
func (s *Store) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	skip := slices.Clone(q.Skip)
	slices.Sort(skip)
	err = s.read(ctx, func(tx *tree) error {
		due, next = nil, 0
		left := q.Among
		if q.Causes == 0 || left <= 0 {
			left = math.MaxInt
		}
		c := bucket(tx, bucketDue).Cursor()
		empty := store.Class(0) // the classes below it, as far as they are asked about, hold nothing more
		for class := range store.Classes {
			if !q.Classes.Has(class) || q.Behind != nil && class < q.Behind.Class || class < empty {
				continue
			}
			if q.Limit > 0 && len(due) == q.Limit || left == 0 {
				break
			}
			first, behind, err := dueIn(tx, c, class, q, skip, &due, &left)
			if err != nil {
				return err
			}
			empty = behind
			if first != 0 && (next == 0 || first < next) {
				next = first
			}
		}
		return nil
	})
	return due, next, err
}

// dueIn adds the marks of one class but for those in skip, which is sorted, reads at most left
// marks, and returns when the first after q.To is due. Where it has met the end of the class,
// reached is the class that is next in the due set.
func dueIn(
	tx *tree, c *bbolt.Cursor, class store.Class, q store.DueQuery, skip []string, due *[]store.Mark,
	left *int,
) (next store.Instant, reached store.Class, err error) {
	from := dueKey(store.Mark{Class: class, At: q.From})
	var behind []byte
	if q.Behind != nil && class == q.Behind.Class {
		if behind = dueKey(*q.Behind); bytes.Compare(behind, from) > 0 {
			from = behind
		}
	}
	for key, _ := c.Seek(from); key != nil; key, _ = c.Next() {
		k, at, name, valid := parseDueKey(key)
		_, passed := slices.BinarySearchFunc(skip, name, compare)
		switch {
		case !valid:
			return 0, 0, nil
		case k != class:
			return 0, k, nil
		case passed || bytes.Equal(key, behind):
			continue
		case at > q.To:
			return at, 0, nil
		case q.Limit > 0 && len(*due) == q.Limit || *left == 0:
			return 0, 0, nil
		}
		id := string(name)
		m, ok, err := getMark(tx, id)
		if err == nil && (!ok || m.As(class).Class != class || m.As(class).At != at && at != 0) {
			err = fmt.Errorf("%w: %.80q is due without a mark that says so", store.ErrCorrupt, id)
		}
		if err != nil {
			return 0, 0, err
		}
		if *left--; q.Causes == 0 || m.Cause&q.Causes != 0 {
			*due = append(*due, m.As(class))
		}
	}
	return 0, store.Classes, nil
}

// compare is strings.Compare that makes no string of b.
func compare(a string, b []byte) int {
	switch {
	case a < string(b):
		return -1
	case a > string(b):
		return 1
	default:
		return 0
	}
}

// BringForward makes reasons for looks due at an earlier moment, and returns how many. It skips a
// reason that is gone or due sooner.
func (s *Store) BringForward(ctx context.Context, to store.Instant, marks ...store.Mark) (n int, err error) {
	err = s.write(ctx, func(tx *tree) error {
		n = 0
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
