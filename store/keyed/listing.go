package keyed

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// CursorOf is the cursor stored under name.
func (s *Store) CursorOf(ctx context.Context, name string) (c store.Cursor, ok bool, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		value, err := get(tx, bucketCursor, name)
		if ok = false; value == nil || err != nil {
			return err
		}
		c, err = decodeCursor(name, value)
		ok = err == nil
		return err
	})
	return c, ok, err
}

// PutPage stores the cursor and makes all changes that the page's entries lead to, in one
// transaction. An entry whose id is empty or longer than MaxID is skipped: it cannot be kept, and
// the others must be.
func (s *Store) PutPage(ctx context.Context, p store.Page) error {
	valid := slices.DeleteFunc(slices.Clone(p.IDs), func(id string) bool { return !validID(id) })
	return s.Update(ctx, writtenKeys(valid...), func(tx *Tx) error {
		for i, id := range p.IDs {
			if !validID(id) {
				continue
			}
			if p.Seen {
				tx.Put(Key{bucketSeen, id}, []byte{})
			}
			if _, err := update(tx, id, nil, func(e *store.Entry) (bool, error) { return p.Change(i, e), nil }); err != nil {
				return err
			}
		}
		return putValue(tx, bucketCursor, p.Name, p.Cursor)
	})
}

// EndListing forgets a cursor.
func (s *Store) EndListing(ctx context.Context, e store.End) error {
	return s.Update(ctx, nil, func(tx *Tx) error {
		if e.Seen {
			for p, err := range tx.Scan(bucketSeen, "", "") {
				if err != nil {
					return err
				}
				remove(tx, bucketSeen, p.Key)
			}
		}
		if e.Done != 0 {
			if err := putValue(tx, bucketCursor, e.Name+".done", store.Cursor{At: e.Done}); err != nil {
				return err
			}
		}
		remove(tx, bucketCursor, e.Name)
		return nil
	})
}

// getSeen is which publications the enumeration under way has met.
func getSeen(tx *Tx, page []Pair) (map[Key][]byte, error) {
	keys := make([]Key, len(page))
	for i, p := range page {
		keys[i] = Key{bucketSeen, p.Key}
	}
	return tx.Get(keys...)
}
