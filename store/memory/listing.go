package memory

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// PutPage stores a cursor and makes the changes of a page.
func (s *Store) PutPage(ctx context.Context, p store.Page) error {
	return s.write(ctx, func(tx *transaction) error {
		for _, c := range p.Changes {
			if validID(c.ID) != nil {
				continue
			}
			if p.Seen {
				set(tx, tx.seen, c.ID, true, true)
			}
			if _, err := tx.change(c); err != nil {
				return err
			}
		}
		set(tx, tx.cursors, p.Name, p.Cursor, true)
		return nil
	})
}

// EndListing forgets a cursor.
func (s *Store) EndListing(ctx context.Context, e store.End) error {
	return s.write(ctx, func(tx *transaction) error {
		if e.Seen {
			replace(tx, tx.seen)
		}
		if e.Done != 0 {
			set(tx, tx.cursors, e.Name+".done", store.Cursor{At: e.Done}, true)
		}
		set(tx, tx.cursors, e.Name, store.Cursor{}, false)
		return nil
	})
}

// SetMeta sets a fact; "" removes it.
func (s *Store) SetMeta(ctx context.Context, key, text string) error {
	return s.write(ctx, func(tx *transaction) error {
		if have := tx.facts[key]; key == store.MetaAccount && have != "" && have != text {
			return &store.AccountError{Store: have, Token: text}
		}
		set(tx, tx.facts, key, text, text != "")
		return nil
	})
}
