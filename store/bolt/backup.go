package bolt

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// Backup writes a consistent copy of the store to w, while others go on writing to the store. w should be local: as long as it takes, the pages
// that are replaced meanwhile cannot be used again and the file grows. The copy of a view lacks the marks that a killed process has left in the journal.
func (s *Store) Backup(w io.Writer) (lacks []store.Mark, err error) {
	if s.db == nil {
		return nil, store.ErrReadOnly
	}
	if !s.readOnly {
		if _, err := s.intake.takeOver(); err != nil {
			return nil, fmt.Errorf("take over what was accepted last: %w", err)
		}
	}
	err = s.read(func(tx *tree) error {
		_, err := tx.WriteTo(w)
		return err
	})
	if s.readOnly {
		lacks = slices.Collect(maps.Values(s.intake.waiting()))
	}
	return lacks, err
}
