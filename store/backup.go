package store

import (
	"io"

	bolt "go.etcd.io/bbolt"
)

// Backup writes a consistent copy of the store to w, while others go on writing to the store. w should be local: as long as it takes, the pages
// that are replaced meanwhile cannot be used again and the file grows.
func (s *Store) Backup(w io.Writer) error {
	if s.db == nil {
		return ErrReadOnly
	}
	if !s.readOnly {
		if _, err := s.intake.takeOver(); err != nil {
			return err
		}
	}
	return s.read(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(w)
		return err
	})
}
