package store

import (
	"cmp"
	"context"
	"slices"
)

// A Cursor is a place in a listing of the marketplace.
type Cursor struct {
	Value    string  `cbor:"1,keyasint,omitempty"` // opaque; empty: the beginning
	At       Instant `cbor:"2,keyasint,omitempty"`
	Started  Instant `cbor:"3,keyasint,omitempty"` // of an enumeration, as all below: when its first page was asked for
	Listed   int     `cbor:"4,keyasint,omitempty"` // entries so far
	Read     Instant `cbor:"7,keyasint,omitempty"` // content read before this is read again; 0: none is
	Nameless int     `cbor:"6,keyasint,omitempty"` // entries so far without an id
}

// A Page is what one page of a listing changes.
type Page struct {
	Name   string
	Cursor Cursor
	IDs    []string
	Change func(i int, e *Entry) bool // of entry IDs[i]; false: it is not written
	Seen   bool                       // an enumeration met them
}

// CursorOf returns the cursor under a name.
func (s Store) CursorOf(ctx context.Context, name string) (c Cursor, ok bool, err error) {
	found, err := view(ctx, s, func(tx *Tx) *Cursor { return get[Cursor](tx, bucketCursor, name) })
	return *cmp.Or(found, &c), found != nil && err == nil, err
}

// PutPage stores the cursor and changes the entries of a page in one transaction. It skips ids that are empty or
// longer than MaxID.
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

// EndListing removes a cursor and, if it enumerated, the ids that were met. The cursor name+".done" keeps done,
// unless that is 0.
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
