package bolt

import (
	"syscall"

	"go.etcd.io/bbolt"
)

// letGo gives the pages of the file that were read back to the system. They stay in the system's
// cache and come back when they are read again. So a worker that has read all of a large store does
// not count as large for ever.
func (s *Store) letGo() {
	_ = s.db.View(func(tx *bbolt.Tx) error { // the map stays where it is meanwhile
		//nolint:gosec,dogsled // a hint: no harm where it is refused
		_, _, _ = syscall.Syscall(
			syscall.SYS_MADVISE,
			s.db.Info().Data,
			uintptr(tx.Size()),
			syscall.MADV_DONTNEED,
		)
		return nil
	})
}
