package bolt

import (
	"context"
	"io"

	"github.com/pubsync/pubsync/store"
)

// Backup writes a consistent copy of the store to w, while others go on writing to the store. w
// should be local: as long as it takes, the pages that are replaced meanwhile cannot be used again
// and the file grows.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	if s.db == nil {
		return store.ErrReadOnly
	}
	return s.read(ctx, func(tx *tree) error {
		_, err := tx.WriteTo(w)
		return err
	})
}
