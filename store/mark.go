package store

import (
	"context"
	"fmt"
	"time"
)

// A Class orders the due set: work of a lower class goes first. Its number is part of the schema.
type Class uint8

// The classes, most urgent first.
const (
	ClassAsked   Class = iota // a person named it by its id
	ClassHook                 // a signed webhook that names it, a first retry
	ClassNew                  // listed by a sweep, and never settled yet
	ClassSweep                // changed upstream
	ClassHint                 // an unsigned webhook asks for a look: kept beside the mark, which it never moves
	ClassFull                 // its content is read whatever the list says
	ClassRules                // the record is decided anew, for no points
	ClassRefresh              // not read for a long time
	Classes                   // how many there are
)

// A ClassSet is a set of classes.
type ClassSet uint16

// Some sets of classes: Timely are all but refreshes, which may take days.
const (
	AllClasses ClassSet = 1<<Classes - 1
	Timely              = AllClasses &^ (1 << ClassRefresh)
)

// ClassesOf is the set of some classes.
func ClassesOf(list ...Class) (set ClassSet) {
	for _, c := range list {
		set |= 1 << c
	}
	return set
}

// Has reports whether a class is in the set.
func (s ClassSet) Has(c Class) bool { return s&(1<<c) != 0 }

// A Mark says that a publication is due.
type Mark struct {
	ID    string  `cbor:"-"`
	At    Instant `cbor:"1,keyasint,omitempty"`
	Class Class   `cbor:"2,keyasint,omitempty"`
	Seen  string  `cbor:"3,keyasint,omitempty"` // the newest updatedAt that was announced; "": none
	// when somebody asked who announced no updatedAt: what was read before that does not answer; 0: nobody did
	Since Instant `cbor:"6,keyasint,omitempty"`
	Tries int     `cbor:"4,keyasint,omitempty"` // how often in a row it failed, or Seen was not shown yet
	// counts what came: the end of a look ends the mark of its own number alone. The store gives it anew to each
	Gen uint64 `cbor:"5,keyasint,omitempty"`
}

// Merge is one mark for two: the more urgent class, and the earlier time. A backoff is shortened
// by a person, a signed webhook or a seen change alone.
func (m Mark) Merge(n Mark) Mark {
	out := Mark{
		ID: m.ID, Class: min(m.Class, n.Class), At: min(m.At, n.At),
		Seen: newest(m.Seen, n.Seen), Since: max(m.since(), n.since()),
	}
	shortens := func(n Mark) bool { return n.Tries == 0 && (n.Class <= ClassHook || n.Seen != "") }
	waits := func(m Mark) bool { return m.Tries > 0 && m.Class != ClassRefresh } // a refresh is no backoff
	switch {
	case waits(m) && !shortens(n):
		out.At, out.Tries = m.At, m.Tries
	case waits(n) && !shortens(m):
		out.At, out.Tries = n.At, n.Tries
	case m.Seen == n.Seen || n.Seen == "":
		out.Tries = max(m.Tries, n.Tries)
	}
	out.Gen = max(m.Gen, n.Gen) + 1
	return out
}

// since is the time since which only a new reading answers a mark.
func (m Mark) since() Instant {
	if m.Class == ClassFull || m.Class == ClassRules || m.Class == ClassSweep && m.Seen == "" {
		return max(m.Since, m.At)
	}
	return m.Since
}

// newest is the later of two updatedAt; the second where that cannot be told.
func newest(a, b string) string {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	if b == "" || err == nil && wrong == nil && one.After(other) {
		return a
	}
	return b
}

// Mark makes publications due, those too that the store does not know yet. A mark of ClassHint is
// kept beside the other.
func (s Store) Mark(ctx context.Context, marks ...Mark) error {
	if len(marks) == 0 {
		return nil
	}
	declared := []Key{SequenceKey}
	for _, m := range marks {
		declared = append(declared, m.key())
	}
	return s.Update(ctx, declared, func(tx *Tx) error {
		for _, m := range marks {
			b := m.key().Bucket
			old := getMark(tx, b, m.ID)
			if old != nil {
				m = old.Merge(m)
			}
			putMark(tx, b, m.ID, old, &m)
		}
		return nil
	})
}

// key is where a mark is kept: what unsigned webhooks ask for lies beside all else.
func (m Mark) key() Key {
	if m.Class == ClassHint {
		return Key{bucketHinted, m.ID}
	}
	return Key{bucketMark, m.ID}
}

// putMark writes a mark of a bucket, with a number of its own, in the place of another one. nil is
// none.
func putMark(tx *Tx, b Bucket, id string, old, m *Mark) {
	var now Mark
	if m != nil {
		now = *m
		now.ID = id
	}
	switch {
	case m == nil && old == nil, m != nil && old != nil && now == *old:
		return
	case now.Class >= Classes, m != nil && now.key().Bucket != b: // it would be due where nobody finds it
		tx.fail(fmt.Errorf("mark publication %q: class %d in the place of another", id, now.Class))
		return
	case old != nil:
		tx.Put(old.dueKey(), nil)
	}
	if m == nil {
		remove(tx, b, id)
		return
	}
	now.Gen = next(tx)
	tx.Put(now.dueKey(), []byte{})
	put(tx, b, id, now)
}

// getMark is a mark, nil for none.
func getMark(tx *Tx, b Bucket, id string) *Mark {
	m := get[Mark](tx, b, id)
	if m != nil {
		m.ID = id
	}
	return m
}
