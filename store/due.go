package store

import (
	"encoding/binary"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// dueKey sorts by class, then time, then id.
func dueKey(m Mark) []byte {
	key := make([]byte, 0, 9+len(m.ID))
	key = append(key, byte(m.Class))
	key = binary.BigEndian.AppendUint64(key, uint64(max(m.At, 0)))
	return append(key, m.ID...)
}

func parseDueKey(key []byte) (class Class, at Instant, id string, ok bool) {
	if len(key) < 9 {
		return 0, 0, "", false
	}
	return Class(key[0]), Instant(binary.BigEndian.Uint64(key[1:9])), string(key[9:]), true //nolint:gosec // written by dueKey from a non-negative Instant
}

// Due is the first mark at or before now, most urgent class first, whose class is allowed and whose id is not skipped.
func (s *Store) Due(now time.Time, allowed func(Class) bool, skip func(id string) bool) (m Mark, ok bool, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		c := bucket(tx, bucketDue).Cursor()
		limit := At(now)
		for class := range classes {
			if !allowed(class) {
				continue
			}
			for key, _ := c.Seek([]byte{byte(class)}); key != nil; key, _ = c.Next() {
				k, at, id, valid := parseDueKey(key)
				if !valid || k != class || at > limit {
					break
				}
				if skip(id) {
					continue
				}
				m, ok, err = getMark(tx, id)
				return err
			}
		}
		return nil
	})
	return m, ok, err
}

// NextDue is the earliest time at which an allowed, unskipped mark is due; ok is false when there is none.
func (s *Store) NextDue(allowed func(Class) bool, skip func(id string) bool) (at time.Time, ok bool, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		c := bucket(tx, bucketDue).Cursor()
		for class := range classes {
			if !allowed(class) {
				continue
			}
			for key, _ := c.Seek([]byte{byte(class)}); key != nil; key, _ = c.Next() {
				k, t, id, valid := parseDueKey(key)
				if !valid || k != class {
					break
				}
				if skip(id) {
					continue
				}
				if !ok || t.Time().Before(at) {
					at, ok = t.Time(), true
				}
				break
			}
		}
		return nil
	})
	return at, ok, err
}

// Backlog counts the marks due at now.
func (s *Store) Backlog(now time.Time) (n int, err error) {
	waiting := s.intake.waiting()
	err = s.read(func(tx *bolt.Tx) error {
		for id, w := range waiting {
			m, ok, err := getMark(tx, id)
			if err != nil {
				return err
			}
			if w.At <= At(now) && (!ok || m.At > At(now)) {
				n++
			}
		}
		c := bucket(tx, bucketDue).Cursor()
		for class := range classes {
			for key, _ := c.Seek([]byte{byte(class)}); key != nil; key, _ = c.Next() {
				if k, at, _, valid := parseDueKey(key); !valid || k != class || at > At(now) {
					break
				}
				n++
			}
		}
		return nil
	})
	return n, err
}

// marked is the ids whose mark is such as which says, in order.
func (s *Store) marked(which func(Mark) bool) (ids []string, err error) {
	waiting := s.intake.waiting()
	err = s.read(func(tx *bolt.Tx) error {
		return bucket(tx, bucketMark).ForEach(func(key, value []byte) error {
			m, err := decodeMark(string(key), value)
			if w, ok := waiting[m.ID]; ok {
				m = m.merge(w)
				delete(waiting, m.ID)
			}
			if err == nil && which(m) {
				ids = append(ids, m.ID)
			}
			return err
		})
	})
	for id, m := range waiting {
		if which(m) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// MarkOf is the mark of one publication.
func (s *Store) MarkOf(id string) (m Mark, ok bool, err error) {
	w, accepted := s.intake.waiting()[id]
	err = s.read(func(tx *bolt.Tx) error {
		m, ok, err = getMark(tx, id)
		return err
	})
	switch {
	case accepted && ok:
		m = m.merge(w)
	case accepted:
		m, ok = w, err == nil
	}
	return m, ok, err
}

// Wake makes due at now every mark that lies ahead and for which which says so; refreshes are never woken. It returns how many.
func (s *Store) Wake(now time.Time, which func(Mark) bool) (n int, err error) {
	if s.readOnly {
		return 0, ErrReadOnly
	}
	if _, err := s.intake.takeOver(); err != nil {
		return 0, err
	}
	err = s.write(func(tx *bolt.Tx) error {
		n = 0
		for class := range ClassRefresh {
			moved, err := advance(tx, class, At(now), which)
			if err != nil {
				return err
			}
			n += moved
		}
		return nil
	})
	return n, err
}

// Advance has every refresh that lies after latest come due then, and returns how many.
func (s *Store) Advance(latest time.Time) (n int, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		n, err = advance(tx, ClassRefresh, At(latest), func(Mark) bool { return true })
		return err
	})
	return n, err
}

// advance moves to a time the marks of a class that lie after it and for which which says so.
func advance(tx *bolt.Tx, class Class, to Instant, which func(Mark) bool) (n int, err error) {
	var ahead []Mark
	c := bucket(tx, bucketDue).Cursor()
	for key, _ := c.Seek(dueKey(Mark{Class: class, At: to + 1})); key != nil; key, _ = c.Next() {
		k, _, id, valid := parseDueKey(key)
		if !valid || k != class {
			break
		}
		m, ok, err := getMark(tx, id)
		if err != nil {
			return n, err
		}
		if ok && which(m) {
			ahead = append(ahead, m)
		}
	}
	for _, m := range ahead {
		if err := moveMark(tx, m, to); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
