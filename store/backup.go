package store

import (
	"fmt"
	"io"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// Backup writes a consistent copy of the store to w, while others go on writing to the store. w should be local: as long as it takes, the pages
// that are replaced meanwhile cannot be used again and the file grows. The copy of a view lacks what Waiting returns.
func (s *Store) Backup(w io.Writer) error {
	if s.db == nil {
		return ErrReadOnly
	}
	if !s.readOnly {
		if _, err := s.intake.takeOver(); err != nil {
			return fmt.Errorf("take over what was accepted last: %w", err)
		}
	}
	return s.read(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(w)
		return err
	})
}

// Waiting is the marks that were accepted and are not in the tree: those that a killed process has left in the journal, until one that may write
// opens the store.
func (s *Store) Waiting() []Mark { return slices.Collect(maps.Values(s.intake.waiting())) }
