package store

// A Class orders the due set: work of a lower class goes first. Its number is part of the schema.
type Class uint8

// The classes, most urgent first.
const (
	ClassAsked   Class = iota // a person named it by its id
	ClassHook                 // a signed webhook that names it, a first retry
	ClassNew                  // listed by a sweep, and never settled yet
	ClassSweep                // changed upstream: a sweep saw it, or a signed webhook named its product
	ClassHint                 // an unsigned webhook
	ClassFull                 // a full run reads everything again
	ClassRefresh              // not read for a long time
	// its prices and stock follow other rules: such a look costs no points, and has a queue of its
	// own
	ClassRules
	Classes // how many there are
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

// Cause is a set of reasons to look at a publication.
type Cause uint16

// The reasons.
const (
	CauseSigned    Cause = 1 << iota // a signed webhook
	CauseUnsigned                    // an unsigned one
	CauseSeen                        // a sweep saw another updatedAt
	CauseRead                        // its content must be read whatever a sweep saw
	CauseRetry                       // a transient error
	CauseRefresh                     // not read for long
	CauseAsked                       // a person, or the shop's check that passes again
	CausePictures                    // pictures that could not be fetched
	CauseVariant                     // a sweep saw that a variant has changed
	CauseRemainder                   // the figures of a change are read, its remainder is not
	CausePrices                      // its prices are to be written again: the shop takes them otherwise than it did
	CauseRules                       // the rules of prices and stock have changed
	CauseSettings                    // other settings have changed that decide what stands in the shop
	CauseDrift                       // somebody changed in the shop what was written, and it is to be put right
)

// lasting are the causes that a mark keeps in every merge. Else a look that finds nothing new would
// skip what they ask for.
const lasting = CauseRules | CauseSettings

// A Mark says that a publication is due. Marking twice is marking once: the marks are merged.
type Mark struct {
	ID     string  `cbor:"-"`
	Class  Class   `cbor:"1,keyasint,omitempty"`
	At     Instant `cbor:"2,keyasint,omitempty"`
	Cause  Cause   `cbor:"3,keyasint,omitempty"`
	Seen   string  `cbor:"4,keyasint,omitempty"` // the updatedAt that a sweep saw
	SeenAt Instant `cbor:"5,keyasint,omitempty"` // when it asked
	Gen    uint64  `cbor:"6,keyasint,omitempty"`
	// VariantAt is when a sweep saw that a variant has changed: with CauseVariant.
	VariantAt Instant `cbor:"7,keyasint,omitempty"`
	// when an unsigned webhook wants the look that is due for another reason; 0: none does, or it
	// would come no sooner
	Hint Instant `cbor:"8,keyasint,omitempty"`
}

// Merge returns one mark for both: the earlier time, the more urgent class, every cause. A refresh
// gives way to any other reason, since each look schedules the next refresh. The time of a
// remainder is not taken for that of a further change. What an unsigned webhook asks for stays
// beside another reason, see Hint.
func (m Mark) Merge(n Mark) Mark {
	wish := earlier(m.wish(), n.wish())
	mine, ok := m.own()
	theirs, too := n.own()
	out := mine
	switch {
	case ok && too:
		out = mine.mergeOwn(theirs)
	case too:
		out = theirs
	case !ok: // two unsigned webhooks
		out.At, out.Cause = wish, m.Cause|n.Cause
		out.Gen = max(m.Gen, n.Gen)
		return out
	}
	if merged := out.wished(wish); merged.Hint != 0 || ok != too {
		out = merged
		out.Cause |= (m.Cause | n.Cause) & CauseUnsigned
	}
	out.Gen = max(m.Gen, n.Gen)
	return out
}

// mergeOwn merges two marks, neither of which is for an unsigned webhook alone.
func (m Mark) mergeOwn(n Mark) Mark {
	if m.Class == ClassRefresh && n.Class != ClassRefresh {
		n.Cause |= m.Cause & lasting
		return n
	}
	if n.Class == ClassRefresh && m.Class != ClassRefresh {
		n.Class, n.Cause, n.At = m.Class, n.Cause&lasting, m.At
	}
	if m.isRemainder() && n.Class < m.Class {
		m.At = n.At
	}
	if n.isRemainder() && m.Class < n.Class {
		n.At = m.At
	}
	m.Class, m.At, m.Cause = min(m.Class, n.Class), min(m.At, n.At), m.Cause|n.Cause
	if n.Seen != "" {
		m.Seen, m.SeenAt = n.Seen, n.SeenAt
	}
	m.VariantAt = max(m.VariantAt, n.VariantAt)
	return m
}

// isRemainder reports whether a mark is for the remainder of a change alone. Its time is that of
// the first look at figures, long before that of a further change.
func (m Mark) isRemainder() bool { return m.Cause&^CauseUnsigned == CauseRemainder }

// A Rescheduling puts a mark that was claimed at a later time.
type Rescheduling struct {
	ID    string
	Gen   uint64 // of the mark as it was claimed: where another arrived since, nothing is put off
	At    Instant
	Cause Cause // what to add to the causes
	Hint  bool  // put off what an unsigned webhook wants alone, and leave what the publication is due for besides
}
