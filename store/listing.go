package store

// A Cursor is a place in a listing of the marketplace.
type Cursor struct {
	Value   string  `cbor:"1,keyasint,omitempty"` // opaque; empty: from the beginning
	At      Instant `cbor:"2,keyasint,omitempty"` // when it was stored
	Started Instant `cbor:"3,keyasint,omitempty"` // of an enumeration: when its first page was asked for
	Listed  int     `cbor:"4,keyasint,omitempty"` // of an enumeration: entries so far
	Read    bool    `cbor:"5,keyasint,omitempty"` // of an enumeration: every entry's content is read again

	Nameless int `cbor:"6,keyasint,omitempty"` // of an enumeration: entries so far that had no id
}

// A Page is what one page of a listing changes.
type Page struct {
	Name   string // of the cursor
	Cursor Cursor
	IDs    []string                   // the entries, in order
	Change func(i int, e *Entry) bool // of each, by its index in IDs; false: nothing is written
	Seen   bool                       // an enumeration: remember that they were met
}

// An End is how a listing ends.
type End struct {
	Name string // of the cursor
	Seen bool   // an enumeration: forget what it has met
	// when an enumeration was complete, 0 where it was not: the time of the cursor with the name
	// and ".done"
	Done Instant
}
