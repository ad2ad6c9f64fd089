package keyed

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// CursorOf is the cursor stored under name.
func (s *Store) CursorOf(ctx context.Context, name string) (c store.Cursor, ok bool, err error) {
	err = s.View(ctx, func(tx Tx) error {
		value := tx.Get(bucketCursor, name)
		if value == nil {
			return nil
		}
		c, err = decodeCursor(name, value)
		ok = err == nil
		return err
	})
	return c, ok, err
}

// PutPage stores the cursor and makes all changes that the page's entries lead to, in one
// transaction. An entry whose id is empty or longer than 16 KiB is skipped: it cannot be kept, and
// the others must be.
func (s *Store) PutPage(ctx context.Context, p store.Page) error {
	return s.Update(ctx, func(tx Tx) error {
		for _, c := range p.Changes {
			if !validID(c.ID) {
				continue
			}
			if p.Seen {
				if err := tx.Put(bucketSeen, c.ID, nil); err != nil {
					return err
				}
			}
			if _, err := change(tx, c); err != nil {
				return err
			}
		}
		return putValue(tx, bucketCursor, p.Name, p.Cursor)
	})
}

// EndListing forgets a cursor.
func (s *Store) EndListing(ctx context.Context, e store.End) error {
	return s.Update(ctx, func(tx Tx) error {
		if e.Seen {
			if err := tx.Clear(bucketSeen); err != nil {
				return err
			}
		}
		if e.Done != 0 {
			if err := putValue(tx, bucketCursor, e.Name+".done", store.Cursor{At: e.Done}); err != nil {
				return err
			}
		}
		return tx.Delete(bucketCursor, e.Name)
	})
}
