package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A Class orders the due set: work of a lower class goes first.
type Class uint8

// The classes, most urgent first.
const (
	ClassHook    Class = iota // a signed webhook, a person, a look that a report asked for
	ClassNew                  // never settled yet
	ClassSweep                // changed upstream
	ClassHint                 // an unsigned webhook
	ClassFull                 // a full run reads everything again
	ClassRefresh              // not read for a long time
	classes
)

// Classes is the number of classes.
const Classes = int(classes)

// Cause is a set of reasons to look at a publication.
type Cause uint16

// The reasons.
const (
	CauseSigned   Cause = 1 << iota // a signed webhook
	CauseUnsigned                   // an unsigned one
	CauseSeen                       // a sweep saw another updatedAt
	CauseRead                       // its content must be read whatever a sweep saw
	CauseRetry                      // a transient error
	CauseRefresh                    // not read for long
	CauseAsked                      // a person, or the shop's check that passes again
)

// A Mark says that a publication is due. Marking twice is marking once: the marks are merged.
type Mark struct {
	ID     string  `json:"-"`
	Class  Class   `json:"c"`
	At     Instant `json:"a"`
	Cause  Cause   `json:"w"`
	Seen   string  `json:"u,omitempty"` // the updatedAt that a sweep saw
	SeenAt Instant `json:"s,omitempty"` // when it asked
	Gen    uint64  `json:"g"`
}

// merge is the mark that both make: the earlier time, the more urgent class, every cause. A refresh that lies ahead gives way to any other
// reason, since whatever is looked at now is scheduled anew.
func (m Mark) merge(n Mark) Mark {
	if m.Class == ClassRefresh && n.Class != ClassRefresh {
		return n
	}
	if n.Class == ClassRefresh && m.Class != ClassRefresh {
		n.Class, n.Cause, n.At = m.Class, m.Cause, m.At
	}
	m.Class, m.At, m.Cause = min(m.Class, n.Class), min(m.At, n.At), m.Cause|n.Cause
	if n.Seen != "" {
		m.Seen, m.SeenAt = n.Seen, n.SeenAt
	}
	m.Gen = max(m.Gen, n.Gen)
	return m
}

func decodeMark(id string, data []byte) (Mark, error) {
	var m Mark
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%w: mark of %q: %w", ErrCorrupt, id, err)
	}
	m.ID = id
	return m, nil
}

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

// Mark makes publications due, durably. One that the store does not know yet is remembered as due all the same.
func (s *Store) Mark(marks ...Mark) error {
	if len(marks) == 0 {
		return nil
	}
	return s.write(func(tx *bolt.Tx) error {
		for _, m := range marks {
			if err := putMark(tx, m); err != nil {
				return err
			}
		}
		return nil
	})
}

func putMark(tx *bolt.Tx, m Mark) error {
	if m.ID == "" || len(m.ID) > maxID {
		return fmt.Errorf("mark publication: id of %d bytes", len(m.ID))
	}
	marks := bucket(tx, bucketMark)
	gen, err := marks.NextSequence()
	if err != nil {
		return err
	}
	if old := marks.Get([]byte(m.ID)); old != nil {
		prev, err := decodeMark(m.ID, old)
		if err != nil {
			return err
		}
		merged := prev.merge(m)
		if dk, pk := dueKey(merged), dueKey(prev); string(dk) != string(pk) {
			if err := bucket(tx, bucketDue).Delete(pk); err != nil {
				return err
			}
		}
		m = merged
	}
	m.Gen = gen
	return setMark(tx, m)
}

func setMark(tx *bolt.Tx, m Mark) error {
	if err := putJSON(bucket(tx, bucketMark), []byte(m.ID), m); err != nil {
		return err
	}
	return bucket(tx, bucketDue).Put(dueKey(m), nil)
}

// takeMark removes the mark of id and returns it.
func takeMark(tx *bolt.Tx, id string) (Mark, bool, error) {
	marks := bucket(tx, bucketMark)
	data := marks.Get([]byte(id))
	if data == nil {
		return Mark{}, false, nil
	}
	m, err := decodeMark(id, data)
	if err != nil {
		return m, false, err
	}
	if err := bucket(tx, bucketDue).Delete(dueKey(m)); err != nil {
		return m, false, err
	}
	return m, true, marks.Delete([]byte(id))
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
				data := bucket(tx, bucketMark).Get([]byte(id))
				if data == nil {
					continue
				}
				if m, err = decodeMark(id, data); err != nil {
					return err
				}
				ok = true
				return nil
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
	err = s.read(func(tx *bolt.Tx) error {
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

func (s *Store) dueIDs(now time.Time) (ids []string, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		return bucket(tx, bucketDue).ForEach(func(key, _ []byte) error {
			if _, at, id, valid := parseDueKey(key); valid && at <= At(now) {
				ids = append(ids, id)
			}
			return nil
		})
	})
	return ids, err
}

// MarkOf is the mark of one publication.
func (s *Store) MarkOf(id string) (m Mark, ok bool, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		if data := bucket(tx, bucketMark).Get([]byte(id)); data != nil {
			m, err = decodeMark(id, data)
			ok = err == nil
		}
		return err
	})
	return m, ok, err
}

// Wake makes due at now every mark that lies ahead and for which which says so; refreshes are never woken. It returns how many.
func (s *Store) Wake(now time.Time, which func(Mark) bool) (n int, err error) {
	err = s.write(func(tx *bolt.Tx) error {
		n = 0
		var ahead []Mark
		c := bucket(tx, bucketDue).Cursor()
		for class := range ClassRefresh {
			from := dueKey(Mark{Class: class, At: At(now) + 1})
			for key, _ := c.Seek(from); key != nil; key, _ = c.Next() {
				k, _, id, valid := parseDueKey(key)
				if !valid || k != class {
					break
				}
				m, err := decodeMark(id, bucket(tx, bucketMark).Get([]byte(id)))
				if err != nil {
					return err
				}
				if which(m) {
					ahead = append(ahead, m)
				}
			}
		}
		for _, m := range ahead {
			if err := bucket(tx, bucketDue).Delete(dueKey(m)); err != nil {
				return err
			}
			m.At = At(now)
			if err := setMark(tx, m); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}
