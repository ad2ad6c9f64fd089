package postgres

import (
	"context"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// PutPage stores a cursor and makes the changes of a page. It passes over an entry whose id cannot
// be kept.
func (s *Store) PutPage(ctx context.Context, p store.Page) error {
	changes := make([]store.Change, 0, len(p.Changes))
	for _, c := range p.Changes {
		if validID(c.ID) == nil {
			changes = append(changes, c)
		}
	}
	return s.write(ctx, need{ids: idsOf(changes)}, func(w *work) error {
		for _, c := range changes {
			if p.Seen {
				w.seen = append(w.seen, c.ID)
			}
			if _, err := w.change(c); err != nil {
				return err
			}
		}
		w.cursors[p.Name] = &p.Cursor
		return nil
	})
}

const deleteSeen = `delete from seen where account = $1`

// EndListing forgets a cursor.
func (s *Store) EndListing(ctx context.Context, e store.End) error {
	return s.write(ctx, need{}, func(w *work) error {
		w.anew = e.Seen
		if e.Done != 0 {
			w.cursors[e.Name+".done"] = &store.Cursor{At: e.Done}
		}
		w.cursors[e.Name] = nil
		return nil
	})
}

// CursorOf is the cursor stored under a name.
func (s *Store) CursorOf(ctx context.Context, name string) (c store.Cursor, ok bool, err error) {
	found, err := ask(s, aboutCursors, cursorOf{name}, 0, func() (
		found *store.Cursor, until store.Instant, keep bool, err error,
	) {
		err = s.read(ctx, func(ctx context.Context) error {
			found = nil
			return s.db.query(ctx, func(r row) error {
				var data []byte
				if err := r.scan(&data); err != nil {
					return err
				}
				found = &store.Cursor{}
				return value.Decode("cursor", name, data, found)
			}, selectCursor, s.account, key(name))
		})
		return found, 0, true, err
	})
	if err != nil || found == nil {
		return c, false, err
	}
	return *found, true, nil
}

const selectCursor = `select data from cursor where account = $1 and name = $2`
