package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// A Class orders the due set. Its number is part of the schema.
type Class uint8

// The classes, most urgent first.
const (
	ClassAsked   Class = iota // a person named it by its id
	ClassHook                 // a signed webhook, or a first retry
	ClassNew                  // listed by a sweep, and never settled
	ClassSweep                // changed upstream
	ClassHint                 // an unsigned webhook, in its own bucket
	ClassFull                 // read whatever the list says
	ClassRules                // the record is decided anew, for no points
	ClassRefresh              // not read for a long time
	Classes
)

// A ClassSet is a set of classes.
type ClassSet uint16

// Timely are all classes but refreshes, which may take days.
const (
	AllClasses ClassSet = 1<<Classes - 1
	Timely              = AllClasses &^ (1 << ClassRefresh)
)

// ClassesOf returns the set of some classes.
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
	Seen  string  `cbor:"3,keyasint,omitempty"` // the newest updatedAt that was announced
	// when last asked for without an updatedAt: only a later reading answers that; 0: never
	Since Instant `cbor:"6,keyasint,omitempty"`
	Tries int     `cbor:"4,keyasint,omitempty"` // how often in a row it failed, or did not show Seen
	// the generation, new at each write
	Gen uint64 `cbor:"5,keyasint,omitempty"`
}

// Merge makes one mark of two. Only a person, a signed webhook or a seen change shortens a backoff.
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

// since returns the time after which only a new reading answers a mark.
func (m Mark) since() Instant {
	if m.Class == ClassFull || m.Class == ClassRules || m.Class == ClassSweep && m.Seen == "" {
		return max(m.Since, m.At)
	}
	return m.Since
}

func newest(a, b string) string {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	if b == "" || err == nil && wrong == nil && one.After(other) {
		return a
	}
	return b
}

// Mark makes publications due, known to the store or not.
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

func (m Mark) key() Key {
	if m.Class == ClassHint {
		return Key{bucketHinted, m.ID}
	}
	return Key{bucketMark, m.ID}
}

// putMark replaces a mark, and gives it a new generation.
func putMark(tx *Tx, b Bucket, id string, old, m *Mark) {
	var now Mark
	if m != nil {
		now = *m
		now.ID = id
	}
	switch {
	case m == nil && old == nil, m != nil && old != nil && now == *old:
		return
	case now.Class >= Classes, m != nil && now.key().Bucket != b: // no look would find it
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

func getMark(tx *Tx, b Bucket, id string) *Mark {
	m := get[Mark](tx, b, id)
	if m != nil {
		m.ID = id
	}
	return m
}

// A DueQuery selects marks.
type DueQuery struct {
	Classes ClassSet
	From    Instant  // inclusive
	To      Instant  // inclusive
	Skip    []string // publications
	Limit   int      // 0: none
}

// Due returns marks by class, time and id. next is when the first falls due after q.To, if none is; 0 for never.
func (s Store) Due(ctx context.Context, q DueQuery) (due []Mark, next Instant, err error) {
	due, err = view(ctx, s, func(tx *Tx) (due []Mark) {
		due, next = dueIn(tx, q)
		var keys []Key
		for _, m := range due {
			keys = append(keys, m.key())
		}
		for some := range slices.Chunk(keys, pageSize) {
			tx.Get(some...) // for one round trip
		}
		for i, at := range due {
			m := getMark(tx, keys[i].Bucket, at.ID)
			if m == nil || m.dueKey() != at.dueKey() {
				tx.fail(fmt.Errorf("%w: %.80q is due without a mark that says so", ErrCorrupt, at.ID))
				return nil
			}
			due[i] = *m
		}
		return due
	})
	return due, next, err
}

// dueIn returns marks with ID, At and Class alone, as the due set has them.
func dueIn(tx *Tx, q DueQuery) (due []Mark, next Instant) {
	from := ""
	for skipped := true; skipped; { // a new scan after each jump
		skipped = false
		for p := range tx.Scan(bucketDue, from, "") {
			const head = 9 // class and instant
			if len(p.Key) <= head || Class(p.Key[0]) >= Classes {
				tx.fail(fmt.Errorf("%w: %.80q is no mark that is due", ErrCorrupt, p.Key))
				return nil, 0
			}
			at := Instant(binary.BigEndian.Uint64([]byte(p.Key[1:head]))) //nolint:gosec // it was not negative
			m := Mark{ID: p.Key[head:], At: at, Class: Class(p.Key[0])}
			asked := q.Classes.Has(m.Class)
			if asked && at >= q.From && at <= q.To {
				if slices.Contains(q.Skip, m.ID) {
					continue
				}
				if q.Limit > 0 && len(due) == q.Limit {
					return due, next
				}
				due = append(due, m)
				continue
			}
			from = string([]byte{byte(m.Class + 1)})
			if asked && at < q.From && at <= q.To {
				from = Mark{Class: m.Class, At: q.From}.dueKey().Key
			} else if asked && (next == 0 || at < next) {
				next = at
			}
			skipped = true
			break
		}
	}
	return due, next
}

func (m Mark) dueKey() Key {
	return Key{bucketDue, string(append([]byte{byte(m.Class)}, m.At.sortable()...)) + m.ID}
}

// sortable returns bytes that sort like the instant.
func (i Instant) sortable() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(i, 0))) //nolint:gosec // not negative
}
