package store

import (
	"cmp"
	"context"
	"slices"
)

// A Cursor is a place in a listing of the marketplace.
type Cursor struct {
	Value    string  `cbor:"1,keyasint,omitempty"` // opaque; empty: from the beginning
	At       Instant `cbor:"2,keyasint,omitempty"` // when it was stored
	Started  Instant `cbor:"3,keyasint,omitempty"` // of an enumeration: when its first page was asked for
	Listed   int     `cbor:"4,keyasint,omitempty"` // of an enumeration: entries so far
	Read     bool    `cbor:"5,keyasint,omitempty"` // of an enumeration: every entry's content is read again
	Nameless int     `cbor:"6,keyasint,omitempty"` // of an enumeration: entries so far that had no id
}

// A Page is what one page of a listing changes.
type Page struct {
	Name   string // of the cursor
	Cursor Cursor
	IDs    []string                   // the entries, in order
	Change func(i int, e *Entry) bool // of each, by its index in IDs; false: nothing is written
	Seen   bool                       // an enumeration: remember that they were met
}

// CursorOf is the cursor stored under a name.
func (s Store) CursorOf(ctx context.Context, name string) (c Cursor, ok bool, err error) {
	found, err := view(ctx, s, func(tx *Tx) *Cursor { return get[Cursor](tx, bucketCursor, name) })
	return *cmp.Or(found, &c), found != nil && err == nil, err
}

// PutPage stores a cursor and makes all changes that the entries of a page lead to, in one
// transaction. An entry whose id is empty or longer than MaxID is passed over: it cannot be kept,
// and the others must be.
func (s Store) PutPage(ctx context.Context, p Page) error {
	valid := slices.DeleteFunc(slices.Clone(p.IDs), func(id string) bool { return !validID(id) })
	return s.Update(ctx, entryKeys(valid...), func(tx *Tx) error {
		for i, id := range p.IDs {
			if !validID(id) {
				continue
			}
			if p.Seen {
				tx.Put(Key{bucketSeen, id}, []byte{})
			}
			update(tx, id, nil, func(e *Entry) bool { return p.Change(i, e) })
		}
		put(tx, bucketCursor, p.Name, p.Cursor)
		return nil
	})
}

// EndListing forgets a cursor, and of an enumeration what it has met. One that was complete has the time
// done, which the cursor with the name and ".done" keeps; 0: it was not.
func (s Store) EndListing(ctx context.Context, name string, enumerated bool, done Instant) error {
	return s.Update(ctx, nil, func(tx *Tx) error {
		if enumerated {
			for p := range tx.Scan(bucketSeen, "", "") {
				remove(tx, bucketSeen, p.Key)
			}
		}
		remove(tx, bucketCursor, name)
		if done != 0 {
			put(tx, bucketCursor, name+".done", Cursor{At: done})
		}
		return nil
	})
}
