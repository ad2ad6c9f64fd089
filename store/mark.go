package store

import "cmp"

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

// AllClasses is every class.
const AllClasses ClassSet = 1<<Classes - 1

// Timely is every class but that of refreshes, which may take days.
const Timely ClassSet = AllClasses &^ (1 << ClassRefresh)

// ClassesOf is the set of some classes.
func ClassesOf(list ...Class) (set ClassSet) {
	for _, c := range list {
		set |= 1 << c
	}
	return set
}

// ClassesBefore is the set of the classes that are more urgent than one.
func ClassesBefore(c Class) ClassSet { return 1<<c - 1 }

// Has reports whether a class is in the set.
func (s ClassSet) Has(c Class) bool { return s&(1<<c) != 0 }

// A Mark says that a publication is due.
type Mark struct {
	ID    string  `cbor:"-"`
	At    Instant `cbor:"1,keyasint,omitempty"`
	Class Class   `cbor:"2,keyasint,omitempty"`
	Seen  string  `cbor:"3,keyasint,omitempty"` // the newest updatedAt that was announced; "": none
	// how often in a row it was put off: by a failure, or since Seen was not shown yet
	Tries int `cbor:"4,keyasint,omitempty"`
	// counts what came: the end of a look ends the mark of its own number alone. The store gives it anew to
	// each mark that it writes
	Gen uint64 `cbor:"5,keyasint,omitempty"`
}

// Merge is one mark for two: the more urgent class, and the earlier time. A backoff is shortened
// by a person, a signed webhook or a seen change alone.
func (m Mark) Merge(n Mark) Mark {
	out := Mark{ID: m.ID, Class: min(m.Class, n.Class), At: min(m.At, n.At), Seen: cmp.Or(n.Seen, m.Seen)}
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
