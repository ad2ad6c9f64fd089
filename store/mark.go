package store

import (
	"bytes"
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
	ID     string
	Class  Class
	At     Instant
	Cause  Cause
	Seen   string  // the updatedAt that a sweep saw
	SeenAt Instant // when it asked
	Gen    uint64
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
	gen, err := bucket(tx, bucketMark).NextSequence()
	if err != nil {
		return err
	}
	old, ok, err := getMark(tx, m.ID)
	if err != nil {
		return err
	}
	if ok {
		m = old.merge(m)
	}
	m.Gen = gen
	switch {
	case ok && bytes.Equal(dueKey(old), dueKey(m)): // a webhook of a burst: it is due as it was
		return putSealed(bucket(tx, bucketMark), m.ID, encodeMark(m))
	case ok:
		if err := bucket(tx, bucketDue).Delete(dueKey(old)); err != nil {
			return err
		}
	}
	return setMark(tx, m)
}

func getMark(tx *bolt.Tx, id string) (m Mark, ok bool, err error) {
	value := bucket(tx, bucketMark).Get([]byte(id))
	if value == nil {
		return Mark{}, false, nil
	}
	m, err = decodeMark(id, value)
	return m, err == nil, err
}

// validMark fails for a mark that the tree would not take.
func validMark(m Mark) error {
	switch {
	case !validID(m.ID):
		return fmt.Errorf("mark publication: id of %d bytes", len(m.ID))
	case m.Class >= classes:
		return fmt.Errorf("mark publication %q: class %d is not known", m.ID, m.Class)
	}
	return nil
}

func setMark(tx *bolt.Tx, m Mark) error {
	if err := validMark(m); err != nil {
		return err
	}
	if err := putSealed(bucket(tx, bucketMark), m.ID, encodeMark(m)); err != nil {
		return err
	}
	return bucket(tx, bucketDue).Put(dueKey(m), nil)
}

func deleteMark(tx *bolt.Tx, m Mark) error {
	if err := bucket(tx, bucketDue).Delete(dueKey(m)); err != nil {
		return err
	}
	return bucket(tx, bucketMark).Delete([]byte(m.ID))
}

func moveMark(tx *bolt.Tx, m Mark, to Instant) error {
	if err := bucket(tx, bucketDue).Delete(dueKey(m)); err != nil {
		return err
	}
	m.At = to
	return setMark(tx, m)
}

// dropMark removes the mark that led to a piece of work, unless another arrived meanwhile.
func dropMark(tx *bolt.Tx, id string, gen uint64) error {
	m, ok, err := getMark(tx, id)
	if err != nil || !ok || m.Gen != gen {
		return err
	}
	return deleteMark(tx, m)
}

// Defer moves a mark to a later time without touching the record, unless another arrived meanwhile, and adds the causes given.
func (s *Store) Defer(id string, gen uint64, at time.Time, causes ...Cause) error {
	return s.write(func(tx *bolt.Tx) error {
		m, ok, err := getMark(tx, id)
		if err != nil || !ok || m.Gen != gen {
			return err
		}
		for _, cause := range causes {
			m.Cause |= cause
		}
		return moveMark(tx, m, At(at))
	})
}
